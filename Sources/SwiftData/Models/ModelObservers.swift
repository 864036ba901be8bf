import Observation
import Synchronization

/// Generated code: who observes a model. As long as no property was looked at there is nobody, and nothing is made: a
/// program may insert or delete models by the thousand and never read one.
///
/// Any thread, as a registrar is.
public struct _ModelObservers: ~Copyable, Sendable {
  /// The registrar, which is one reference, or 0. Set once; from then on it is the registrar's memory, and read as such
  /// without a count of references.
  @usableFromInline let word = Atomic<UInt>(0)

  /// For a new model.
  @inlinable
  public init() {}

  deinit {
    var word = word.load(ordering: .acquiring)
    if word != 0 { _ModelObservers.end(&word) }
  }

  /// The registrar, if a property was looked at.
  public var registrar: ObservationRegistrar? {
    word.load(ordering: .acquiring) == 0 ? nil : withRegistrar { $0.pointee }
  }

  /// Notes that a property is looked at.
  @inlinable @inline(__always)
  public func access<Model: Observable, Value>(_ model: Model, keyPath: KeyPath<Model, Value>) {
    if word.load(ordering: .acquiring) == 0 { make() }
    withRegistrar { $0.pointee.access(model, keyPath: keyPath) }
  }

  /// Changes a property, and tells those who have looked at it.
  @inlinable
  public func withMutation<Model: Observable, Value, Result>(
    of model: Model, keyPath: KeyPath<Model, Value>, _ mutation: () throws -> Result
  ) rethrows -> Result {
    if word.load(ordering: .acquiring) != 0 {
      return try withRegistrar { try $0.pointee.withMutation(of: model, keyPath: keyPath, mutation) }
    }
    // What the change itself has called may have looked.
    defer { registrar?.didSet(model, keyPath: keyPath) }
    return try mutation()
  }

  /// Only after the registrar was made.
  @inlinable @inline(__always)
  func withRegistrar<Result>(_ body: (UnsafePointer<ObservationRegistrar>) throws -> Result) rethrows -> Result {
    try withUnsafePointer(to: word) { word in
      try body(UnsafeRawPointer(word).assumingMemoryBound(to: ObservationRegistrar.self))
    }
  }

  @usableFromInline
  func make() {
    ModelAssumption.registrars.require()
    var new = _ModelObservers.begin()
    let (isFirst, _) = word.compareExchange(expected: 0, desired: new, ordering: .acquiringAndReleasing)
    // Another thread was faster.
    if !isFirst { _ModelObservers.end(&new) }
  }

  /// A new registrar as a word.
  static func begin() -> UInt {
    withUnsafeTemporaryAllocation(of: ObservationRegistrar.self, capacity: 1) { place in
      place.initializeElement(at: 0, to: ObservationRegistrar())
      // It is moved out: nobody ends it here.
      return UnsafeRawPointer(place.baseAddress!).load(as: UInt.self)
    }
  }

  private static func end(_ word: inout UInt) {
    withUnsafeMutablePointer(to: &word) {
      _ = UnsafeMutableRawPointer($0).assumingMemoryBound(to: ObservationRegistrar.self).deinitialize(count: 1)
    }
  }
}
