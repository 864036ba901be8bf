import Observation
import Synchronization

/// Generated code: the observers of a model. As long as no property was looked at there are none, and nothing is made:
/// a program may insert or delete models by the thousand and never read one.
///
/// Any thread, as a registrar is.
public struct _ModelObservers: ~Copyable, Sendable {
  /// Retained. nil until a property is looked at; set once.
  @usableFromInline let list = Atomic<Unmanaged<ObserverList>?>(nil)

  /// For a new model.
  @inlinable
  public init() {}

  deinit { list.load(ordering: .acquiring)?.release() }

  /// The registrar, if a property was looked at.
  public var registrar: ObservationRegistrar? { list.load(ordering: .acquiring)?.takeUnretainedValue().registrar }

  // Inlined by force for `modelread`; see CONTRIBUTING.md.
  /// Notes that a property is looked at.
  ///
  /// - Returns: the key path, which an accessor needs once more.
  @inlinable @inline(__always) @discardableResult
  public func access<Model: Observable, Value>(
    _ model: Model, keyPath: KeyPath<Model, Value>
  ) -> KeyPath<Model, Value> {
    (list.load(ordering: .acquiring) ?? make())._withUnsafeGuaranteedRef {
      $0.registrar.access(model, keyPath: keyPath)
    }
    return keyPath
  }

  /// Tells those who have looked at a property that it is about to change.
  public func willSet<Model: Observable, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
    registrar?.willSet(model, keyPath: keyPath)
  }

  /// Tells those who have looked at a property that it has changed.
  public func didSet<Model: Observable, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
    registrar?.didSet(model, keyPath: keyPath)
  }

  /// Changes a property, and tells those who have looked at it.
  @inlinable
  public func withMutation<Model: Observable, Value, Result>(
    of model: Model, keyPath: KeyPath<Model, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    if let list = list.load(ordering: .acquiring) {
      return try list.takeUnretainedValue().registrar.withMutation(of: model, keyPath: keyPath, mutation)
    }
    // What the change itself has called may have looked.
    defer { registrar?.didSet(model, keyPath: keyPath) }
    return try mutation()
  }

  @usableFromInline
  func make() -> Unmanaged<ObserverList> {
    let new = Unmanaged.passRetained(ObserverList())
    let (isFirst, former) = list.compareExchange(expected: nil, desired: new, ordering: .acquiringAndReleasing)
    if isFirst { return new }
    // Another thread was faster.
    new.release()
    return former!
  }
}

/// A registrar with an address of its own: it is found without a count of references.
@usableFromInline
final class ObserverList: Sendable {
  @usableFromInline let registrar = ObservationRegistrar()
}
