/// Who observes an object, and which of its keys. One of the object's attachments.
final class KeyValueObservers {
  private struct Link {
    let observer: KeyValueObserver
    let key: String
  }

  /// Under `lock`, since an observation may be let go of on any thread.
  private var links: [Link] = []
  private static let lock = NSLock()
  /// Whether the object has become a fault since, so that its observers hear when it is read.
  var awaitsReading = false

  func add(_ observer: KeyValueObserver, key: String) {
    Self.lock.withLock { links.append(Link(observer: observer, key: key)) }
  }

  func remove(_ observer: KeyValueObserver) {
    // Freed outside of the lock: an observer's handler may hold other observations.
    let former = Self.lock.withLock {
      let former = links
      links.removeAll { $0.observer === observer }
      return former
    }
    withExtendedLifetime(former) {}
  }

  /// The observers of any of these keys, each once.
  func observers(of keys: [String]) -> [KeyValueObserver] { observers { keys.contains($0.key) } }

  var all: [KeyValueObserver] { observers { _ in true } }

  private func observers(where isMeant: (Link) -> Bool) -> [KeyValueObserver] {
    var found: [KeyValueObserver] = []
    for link in Self.lock.withLock({ links }) where isMeant(link) && !found.contains(where: { $0 === link.observer }) {
      found.append(link.observer)
    }
    return found
  }
}

/// What is known of a change before it is made.
enum ObservedMutation {
  /// The value is set; all members of a to-many relationship are.
  case setting
  /// Any value may become another one. Only what differs is told.
  case anything
  /// Members come and go: the difference says of which kind it was.
  case members
  /// One member comes, to the end, or goes. The others need not be known.
  case member(NSManagedObject, isComing: Bool)
  /// All members are replaced, as `NSKeyValueSetMutationKind.set` says.
  case replacement
}

/// A change that was announced to observers. The code that announced it ends it.
struct AnnouncedChange {
  private let observers: [KeyValueObserver]

  /// Tells observers that the change is to come: of the properties with these keys, or of any.
  init(
    _ observers: [KeyValueObserver], of object: NSManagedObject, keys: [String]? = nil, _ mutation: ObservedMutation
  ) {
    self.observers = observers
    for observer in observers { observer.willChange(object, keys: keys, mutation) }
  }

  func end() {
    for observer in observers { observer.didChange() }
  }
}

extension NSManagedObject {
  /// Announces a change of a property to its observers; nil if the object has none. The setters' changes are told where
  /// they are written, so that both sides of a relationship are heard. Code that changes several things at once
  /// announces them before, and observers hear of them when it ends.
  final func announceChange(of property: LayoutProperty, _ mutation: ObservedMutation = .setting) -> AnnouncedChange? {
    if !state.contains(.observed) || state.contains(.setsQuietly) { return nil }
    return announcedChange(of: [property.name] + (property.composite.map { [$0.name] } ?? []), mutation)
  }

  /// Announces a change of all values, or that any may change. A fault has no values that could.
  final func announceChanges(_ mutation: ObservedMutation) -> AnnouncedChange? {
    if !state.contains(.observed) || state.contains(.fault) { return nil }
    return observers.map { AnnouncedChange($0.all, of: self, mutation) }
  }

  @inline(never)
  private final func announcedChange(of keys: [String], _ mutation: ObservedMutation) -> AnnouncedChange? {
    observers.map { AnnouncedChange($0.observers(of: keys), of: self, keys: keys, mutation) }
  }

  /// `willChangeValue`, as a program calls it.
  final func tellWillChange(_ key: String, _ mutation: ObservedMutation) {
    if state.contains(.observed) { _ = announcedChange(of: [key], mutation) }
  }

  /// `didChangeValue`, as a program calls it.
  ///
  /// - Parameter announcedTwice: whether this ends a change of members. `willChangeValue(forKey:)`, which belongs to
  ///   its beginning, has announced it as well.
  final func tellDidChange(_ key: String, announcedTwice: Bool = false) {
    if !state.contains(.observed) { return }
    for observer in observers?.observers(of: [key]) ?? [] {
      if announcedTwice { observer.didChange() }
      observer.didChange()
    }
  }

  /// The object was read, which had become a fault while it was observed.
  final func tellOfReading() {
    guard let observers, observers.awaitsReading else { return }
    observers.awaitsReading = false
    AnnouncedChange(observers.all, of: self, .setting).end()
  }

  /// The object has become a fault.
  final func tellOfFault(_ announced: AnnouncedChange?) {
    guard let announced else { return }
    announced.end()
    // An observer that asked for the new value has read the object again already.
    observers?.awaitsReading = state.contains(.fault)
  }
}

extension NSManagedObject {
  final func addObserver(_ observer: KeyValueObserver, key: String) {
    let attachments = attachmentsForUse
    if attachments.observers == nil { attachments.observers = KeyValueObservers() }
    attachments.observers?.add(observer, key: key)
    setObserved()
  }
}
