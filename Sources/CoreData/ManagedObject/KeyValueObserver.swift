/// An observer of a property, or of a path of properties. It stands in the lists of all objects along the path.
class KeyValueObserver {
  final weak var object: NSManagedObject?
  final let names: [String]
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

  init(_ object: NSManagedObject, _ names: [String]) {
    self.object = object
    self.names = names
  }

  /// What comes before a change and after it.
  func prepare(_ mutation: ObservedMutation) {}
  /// A change of the same property begins within the one that was announced.
  func prepareFurther(_ mutation: ObservedMutation) {}
  func tell() {}

  final func willChange(_ object: NSManagedObject, keys: [String]?, _ mutation: ObservedMutation) {
    depth += 1
    // Only of the observed property itself it is known which members change. One that it depends on has others.
    let isItself = object === self.object && names.count == 1 && keys?.contains(names[0]) ?? true
    if depth > 1 {
      if isItself { prepareFurther(mutation) }
      return
    }
    if case .anything = mutation { return prepare(.anything) }
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
  final func link() {
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
