// Key-value observing of managed objects. Foundation on Linux has none of it, neither the methods nor their types.

/// What an observer is told besides that a value has changed. Foundation on Linux lacks this type.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: UInt
  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Changes have the new value.
  public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
  /// Changes have the former value.
  public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
  /// The observer is called at once with the value that is there.
  public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
  /// The observer is called before each change as well, but not before a refresh, a merge or a rollback.
  public static let prior = NSKeyValueObservingOptions(rawValue: 1 << 3)
}

/// How a set changes, for key-value observing. Foundation on Linux lacks this type.
public enum NSKeyValueSetMutationKind: UInt, Sendable {
  /// The objects are added to the members.
  case union = 1
  /// The objects are removed from the members.
  case minus = 2
  /// Members that are not among the objects are removed.
  case intersect = 3
  /// The objects replace all members.
  case set = 4
}

/// How an ordered collection changes, for key-value observing. Foundation on Linux lacks this type.
public enum NSKeyValueChange: UInt, Sendable {
  /// A value is set.
  case setting = 1
  /// Objects are inserted.
  case insertion = 2
  /// Objects are removed.
  case removal = 3
  /// Objects take the places of others.
  case replacement = 4
}

/// A change, as an observer is told of it. Foundation on Linux lacks this type.
public struct NSKeyValueObservedChange<Value> {
  /// Whether a value was set, or members came, went or were replaced.
  public typealias Kind = NSKeyValueChange

  /// `.setting` for attributes and to-one relationships. For a to-many relationship `.insertion` or `.removal` if
  /// members only came or only went, `.replacement` if members of an ordered one took the places of others, and
  /// `.setting` if all were set at once.
  public let kind: Kind
  /// The new value with the option `.new`, except before the change. The new members only, for an insertion.
  public let newValue: Value?
  /// The former value with the option `.old`. The former members only, for a removal.
  public let oldValue: Value?
  /// Ordered relationships: the places where members came, went or were replaced.
  public let indexes: IndexSet?
  /// Whether the change is still to come, with the option `.prior`.
  public let isPrior: Bool
}

/// An observer at work. It ends with ``invalidate()``, or when nothing refers to it any more. Foundation on Linux lacks
/// this type.
public final class NSKeyValueObservation: NSObject {
  private var observer: (any ObserverAtWork)?

  init(_ observer: any ObserverAtWork) { self.observer = observer }

  deinit { invalidate() }

  /// Ends the observation: the handler isn't called again, and is let go. Any thread.
  public func invalidate() {
    observer?.end()
    observer = nil
  }
}

/// What an observation ends.
protocol ObserverAtWork: AnyObject {
  /// Any thread.
  func end()
}

extension KeyValueObserver: ObserverAtWork {}

/// What Swift's form of key-value observing needs to name an object's own class. Only managed objects and migration
/// managers conform.
public protocol _KeyValueCodingAndObserving {}

nonisolated extension NSManagedObject: _KeyValueCodingAndObserving {}

extension _KeyValueCodingAndObserving where Self: NSManagedObject {
  /// Calls a handler whenever a property of the object changes.
  ///
  ///     let observation = book.observe(\.title, options: [.old, .new]) { book, change in
  ///       print("\(change.oldValue ?? "") is now \(change.newValue ?? "")")
  ///     }
  ///     book.title = "The Dispossessed"
  ///     observation.invalidate()
  ///
  /// The handler hears of accessors, key-value coding, mutable sets, the other side of a relationship, delete rules,
  /// undo, and of what `willChangeValue` and `didChangeValue` say; also if the new value equals the former one. After
  /// a refresh, a merge, a rollback or a merge policy it hears of what differs. It hears of all when the object becomes
  /// a fault, and when that fault is read: so says Apple's documentation. Primitive accessors, `awakeFromFetch` and the
  /// new id after a save tell no observers.
  ///
  /// A computed property changes with those that `keyPathsForValuesAffectingValue(forKey:)` names. A key path may go
  /// over to-one relationships: `\.author?.name`. One over a to-many relationship, or without a name, is a misuse.
  ///
  /// - Parameters:
  ///   - keyPath: the property, or the path to one over to-one relationships.
  ///   - options: what the handler is told besides, and whether it is called at once and before changes as well.
  ///   - changeHandler: called within the change, when both sides of a relationship agree, on the queue of the object's
  ///     context.
  /// - Returns: the observation, which ends when you let go of it.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observer = KeyPathObserver(
      self, keyPath, names: observedNames(keyPath), options: options, handler: changeHandler)
    observer.begin()
    return NSKeyValueObservation(observer)
  }

  /// Call this before a value changes in a way that nothing else announces; see
  /// ``NSManagedObject/willChangeValue(forKey:)``.
  public func willChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    willChangeValue(forKey: observedKey(keyPath))
  }

  /// Call this after the value has changed.
  public func didChangeValue<Value>(for keyPath: KeyPath<Self, Value>) {
    didChangeValue(forKey: observedKey(keyPath))
  }

  /// Call this before members of an ordered relationship change in a way that nothing else announces.
  public func willChange<Value>(
    _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
  ) {
    willChange(changeKind, valuesAt: indexes, forKey: observedKey(keyPath))
  }

  /// Call this after the members have changed.
  public func didChange<Value>(
    _ changeKind: NSKeyValueChange, valuesAt indexes: IndexSet, for keyPath: KeyPath<Self, Value>
  ) {
    didChange(changeKind, valuesAt: indexes, forKey: observedKey(keyPath))
  }

  /// Call this before members of an unordered relationship change in a way that nothing else announces.
  public func willChangeValue<Value>(
    for keyPath: KeyPath<Self, Value>, withSetMutation mutation: NSKeyValueSetMutationKind, using set: Set<AnyHashable>
  ) {
    willChangeValue(forKey: observedKey(keyPath), withSetMutation: mutation, using: set)
  }

  /// Call this after the members have changed.
  public func didChangeValue<Value>(
    for keyPath: KeyPath<Self, Value>, withSetMutation mutation: NSKeyValueSetMutationKind, using set: Set<AnyHashable>
  ) {
    didChangeValue(forKey: observedKey(keyPath), withSetMutation: mutation, using: set)
  }
}

extension NSManagedObject {
  fileprivate final func observedKey(_ keyPath: AnyKeyPath) -> String {
    observedNames(keyPath).joined(separator: ".")
  }

  fileprivate final func observedNames(_ keyPath: AnyKeyPath) -> [String] {
    do { return try KeyPathNames.path(of: keyPath) } catch {
      misuse(
        MisuseReport(
          "The key path \(keyPath) can't be observed: it has no name that could be found.",
          facts: [("Object", "\(layout.name) \(objectID.description)")],
          how: "It goes through a subscript, or the program has no symbols.",
          remedy: "Observe a property, and compute the rest in the handler."))
    }
  }
}
