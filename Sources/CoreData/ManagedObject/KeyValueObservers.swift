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

/// A change that was announced to observers. Whoever announced it ends it.
struct AnnouncedChange {
  private let observers: [KeyValueObserver]

  /// Tells observers that the change is to come.
  init(_ observers: [KeyValueObserver], of object: NSManagedObject, _ mutation: ObservedMutation) {
    self.observers = observers
    for observer in observers { observer.willChange(object, mutation) }
  }

  func end() {
    for observer in observers { observer.didChange() }
  }
}

extension NSManagedObject {
  /// Announces a change of a property to its observers; nil if the object has none. The setters' changes are told where
  /// they are written, so that both sides of a relationship are heard; whoever changes several things at once announces
  /// them before, and observers hear when it ends.
  final func announceChange(of property: LayoutProperty, _ mutation: ObservedMutation = .setting) -> AnnouncedChange? {
    if !state.contains(.observed) || state.contains(.awaking) { return nil }
    return announcedChange(of: [property.name] + (property.composite.map { [$0.name] } ?? []), mutation)
  }

  /// Announces a change of all values, or that any may change. A fault has no values that could.
  final func announceChanges(_ mutation: ObservedMutation) -> AnnouncedChange? {
    if !state.contains(.observed) || state.contains(.fault) { return nil }
    return observers.map { AnnouncedChange($0.all, of: self, mutation) }
  }

  @inline(never)
  private final func announcedChange(of keys: [String], _ mutation: ObservedMutation) -> AnnouncedChange? {
    observers.map { AnnouncedChange($0.observers(of: keys), of: self, mutation) }
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
  fileprivate final func addObserver(_ observer: KeyValueObserver, key: String) {
    let attachments = attachmentsForUse
    if attachments.observers == nil { attachments.observers = KeyValueObservers() }
    attachments.observers?.add(observer, key: key)
    setObserved()
  }
}

/// An observer of a property, or of a path of properties. It stands in the lists of all objects along the path.
class KeyValueObserver {
  fileprivate final weak var object: NSManagedObject?
  fileprivate final let names: [String]
  /// In whose lists it stands, under `lock`. The objects behind the first one are kept alive, as long as they are on
  /// the path; the first one is not, so that it can be freed before its observers.
  private final var lists: [KeyValueObservers] = []
  private final var kept: [NSManagedObject] = []
  private final var isEnded = false
  /// Whether the value depends on other objects, which a change may replace.
  private final var leadsElsewhere = false
  private static let lock = NSLock()
  /// How many announced changes have not ended. Whatever happens between the first and the last is one change.
  private final var depth = 0

  fileprivate init(_ object: NSManagedObject, _ names: [String]) {
    self.object = object
    self.names = names
  }

  /// What comes before a change and after it.
  fileprivate func prepare(_ mutation: ObservedMutation) {}
  /// A change begins within the one that was announced.
  fileprivate func prepareFurther(_ mutation: ObservedMutation) {}
  fileprivate func tell() {}

  final func willChange(_ object: NSManagedObject, _ mutation: ObservedMutation) {
    depth += 1
    if depth > 1 { return prepareFurther(mutation) }
    if case .anything = mutation { return prepare(.anything) }
    // Only of the observed property itself it is known which members change.
    let isItself = object === self.object && names.count == 1
    prepare(isItself && object.layout.property(named: names[0])?.kind == .toMany ? mutation : .setting)
  }

  final func didChange() {
    // A program may end a change that was announced before it was observed.
    if depth == 0 { return }
    depth -= 1
    if depth > 0 || object == nil || Self.lock.withLock({ isEnded }) { return }
    if leadsElsewhere { link() }
    tell()
  }

  /// Any thread.
  final func end() {
    Self.lock.withLock { isEnded = true }
    unlink()
  }

  /// Enters the lists of all objects that the value depends on.
  fileprivate final func link() {
    unlink()
    if let object { enter(object, names[...]) }
  }

  private final func unlink() {
    let (lists, kept) = Self.lock.withLock {
      defer { (self.lists, self.kept) = ([], []) }
      return (self.lists, self.kept)
    }
    for list in lists { list.remove(self) }
    withExtendedLifetime(kept) {}
  }

  private final func enter(_ object: NSManagedObject, _ path: ArraySlice<String>, affected: Set<String> = []) {
    guard let first = path.first else { return }
    let whole = path.joined(separator: ".")
    let isElement = path.count > 1 && object.layout.property(named: whole) != nil
    let key = isElement ? whole : first
    guard stand(by: object, key) else { return }
    for dependency in type(of: object).keyPathsForValuesAffectingValue(forKey: key)
    where !affected.contains(dependency) {
      let path = dependency.split(separator: ".").map(String.init)
      enter(object, path[...], affected: affected.union([key, dependency]))
    }
    if path.count == 1 || isElement { return }
    guard object.layout.property(named: key)?.kind == .toOne else { misuse(.unobservable(whole, object)) }
    leadsElsewhere = true
    if let next = object.value(forKey: key) as? NSManagedObject { enter(next, path.dropFirst(), affected: affected) }
  }

  /// False if the observation has ended meanwhile.
  private final func stand(by object: NSManagedObject, _ key: String) -> Bool {
    object.addObserver(self, key: key)
    guard let list = object.observers else { return false }
    let isGoingOn = Self.lock.withLock {
      if isEnded { return false }
      lists.append(list)
      if object !== self.object { kept.append(object) }
      return true
    }
    if !isGoingOn { list.remove(self) }
    return isGoingOn
  }
}

/// The observer of a Swift key path.
final class KeyPathObserver<Object: NSManagedObject, Value>: KeyValueObserver {
  typealias Change = NSKeyValueObservedChange<Value>

  private let keyPath: KeyPath<Object, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: (Object, Change) -> Void
  // Of the change that was announced.
  private var mutation = ObservedMutation.setting
  private var former: Value?
  private var formerMembers: ContiguousArray<NSManagedObject> = []
  private var formerPlace: Int?

  init(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, names: [String], options: NSKeyValueObservingOptions,
    handler: @escaping (Object, Change) -> Void
  ) {
    self.keyPath = keyPath
    self.options = options
    self.handler = handler
    super.init(object, names)
  }

  func begin() {
    link()
    if options.contains(.initial) { call(.setting, new: options.contains(.new) ? value : nil) }
  }

  /// The value now; nil if it is nil, which a property without an optional type can't say.
  private var value: Value? {
    guard let object else { return nil }
    if names.count == 1, !(Value.self is any ExpressibleByNilLiteral.Type),
      object.layout.property(named: names[0]) != nil, object.value(forKey: names[0]) == nil
    {
      return nil
    }
    return unsafeDowncast(object, to: Object.self)[keyPath: keyPath]
  }

  private func call(
    _ kind: NSKeyValueChange, new: Value? = nil, old: Value? = nil, at indexes: [Int]? = nil, isPrior: Bool = false
  ) {
    guard let object else { return }
    handler(
      unsafeDowncast(object, to: Object.self),
      Change(kind: kind, newValue: new, oldValue: old, indexes: indexes.map { IndexSet($0) }, isPrior: isPrior))
  }

  override fileprivate func prepare(_ mutation: ObservedMutation) {
    self.mutation = mutation
    switch mutation {
    case .anything:
      // Whether it is a change at all isn't known before it is made.
      former = value
      return
    case .members: formerMembers = members
    case .member(let member, let isComing):
      guard let object, let property else { break }
      let state = object.toManyState(property)
      if state.isMember(member) == isComing {
        // There may be no difference.
        self.mutation = .members
        formerMembers = members
      } else if property.isOrdered {
        // Its place depends on the others, but not on their objects.
        _ = object.memberCount(property)
        formerPlace = isComing ? nil : state.place(of: member)
      }
    case .setting, .replacement: if options.contains(.old) { former = value }
    }
    if options.contains(.prior) { call(.setting, old: former, isPrior: true) }
  }

  /// Another change of the members begins before the one of a single member has ended, as when an observer of the other
  /// side makes it. Then both are told as one, which takes the former members.
  override fileprivate func prepareFurther(_ mutation: ObservedMutation) {
    guard case .member(let member, let isComing) = self.mutation, let object, let property else { return }
    if case .member(let other, let isOtherComing) = mutation, other === member, isOtherComing == isComing { return }
    self.mutation = .members
    formerMembers = members
    if isComing {
      formerMembers.removeAll { $0 === member }
    } else if object.toManyState(property).isMember(member) == false {
      formerMembers.insert(member, at: min(formerPlace ?? .max, formerMembers.count))
    }
  }

  override fileprivate func tell() {
    let old = former
    former = nil
    switch mutation {
    case .anything:
      let new = value
      if (old as? AnyHashable) == (new as? AnyHashable) { return }
      call(.setting, new: options.contains(.new) ? new : nil, old: options.contains(.old) ? old : nil)
    case .setting, .replacement:
      var kind = NSKeyValueChange.setting
      if case .replacement = mutation { kind = .replacement }
      call(kind, new: options.contains(.new) ? value : nil, old: old)
    case .members:
      let before = formerMembers
      formerMembers = []
      tellOfMembers(before, members)
    case .member(let member, let isComing):
      self.mutation = .setting
      guard let object, let property else { return }
      var place = formerPlace
      if isComing { place = object.toManyState(property).count.map { $0 - 1 } }
      call(
        isComing ? .insertion : .removal,
        new: isComing && options.contains(.new) ? value(of: [member]) : nil,
        old: !isComing && options.contains(.old) ? value(of: [member]) : nil,
        at: property.isOrdered ? place.map { [$0] } : nil)
    }
  }

  private var property: LayoutProperty? { object?.layout.property(named: names[0]) }

  private var members: ContiguousArray<NSManagedObject> {
    guard let object, let property else { return [] }
    return object.members(property)
  }

  private func tellOfMembers(_ before: ContiguousArray<NSManagedObject>, _ after: ContiguousArray<NSManagedObject>) {
    let (had, has) = (Set(before.map(ObjectIdentifier.init)), Set(after.map(ObjectIdentifier.init)))
    let came = after.indices.filter { !had.contains(ObjectIdentifier(after[$0])) }
    let went = before.indices.filter { !has.contains(ObjectIdentifier(before[$0])) }
    let isOrdered = property?.isOrdered ?? false
    func told(_ kind: NSKeyValueChange, came: [Int], went: [Int], at indexes: [Int]) {
      call(
        kind, new: options.contains(.new) && !came.isEmpty ? value(of: came.map { after[$0] }) : nil,
        old: options.contains(.old) && !went.isEmpty ? value(of: went.map { before[$0] }) : nil,
        at: isOrdered ? indexes : nil)
    }
    let stayed = before.filter { has.contains(ObjectIdentifier($0)) }
    let isOrderKept = !isOrdered || stayed.elementsEqual(after.filter { had.contains(ObjectIdentifier($0)) }, by: ===)
    switch (came.isEmpty, went.isEmpty, isOrderKept) {
    case (true, true, true): return
    case (false, true, true): told(.insertion, came: came, went: [], at: came)
    case (true, false, true): told(.removal, came: [], went: went, at: went)
    default:
      if isOrdered, before.count == after.count {
        let places = before.indices.filter { before[$0] !== after[$0] }
        told(.replacement, came: places, went: places, at: places)
      } else {
        call(
          .setting, new: options.contains(.new) ? value : nil,
          old: options.contains(.old) ? value(of: Array(before)) : nil)
      }
    }
  }

  /// Members in the property's own type: an `NSSet`, a `Set`, an `NSOrderedSet`; nil for any other.
  private func value(of members: [NSManagedObject]) -> Value? {
    let forms: [Any] =
      property?.isOrdered == true ? [NSOrderedSet(array: members)] : [NSSet(array: members), Set(members)]
    return forms.lazy.compactMap { $0 as? Value }.first
  }
}

extension MisuseReport {
  fileprivate static func unobservable(_ path: String, _ object: NSManagedObject) -> MisuseReport {
    MisuseReport(
      "The path \"\(path)\" of \(object.layout.name) can't be observed: only its last key may be anything but a "
        + "to-one relationship.",
      facts: [("Object", "\(object.layout.name) \(object.objectID.description)")],
      how: "Each object along the path is observed, which a relationship to many has no end of.",
      remedy: "Observe the relationship, and its members one by one.")
  }
}
