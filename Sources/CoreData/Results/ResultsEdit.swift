/// The changes that an event makes to a list, computed before anything is changed.
struct ResultsEdit {
  /// An object with a place in the old list.
  struct Member {
    let object: NSManagedObject
    let place: ResultsPlace
  }

  /// An object to insert.
  struct Entry {
    let object: NSManagedObject
    let sectionName: String
    let keys: [PredicateValue]

    init(_ object: NSManagedObject, _ criteria: ResultsCriteria) throws {
      self.object = object
      sectionName = try criteria.sectionName(of: object)
      keys = try criteria.keys(of: object)
    }

    /// Among objects with equal sort keys, saved ones come first, then new ones in the order in which they were made.
    func precedes(_ other: Entry, _ criteria: ResultsCriteria) -> Bool {
      switch criteria.order(keys, other.keys) {
      case .orderedAscending: return true
      case .orderedDescending: return false
      case .orderedSame:
        let (a, b) = (object.key, other.object.key)
        return (a < 0) == (b < 0) ? a.magnitude < b.magnitude : a > b
      }
    }
  }

  private(set) var removed: [Member] = []
  private(set) var updated: [Member] = []
  private(set) var moved: [(member: Member, entry: Entry)] = []
  private(set) var inserted: [Entry] = []

  var isEmpty: Bool { removed.isEmpty && updated.isEmpty && moved.isEmpty && inserted.isEmpty }

  /// Determines which of the changed objects leave the list, stay, move, or enter it; and which of the others leave or
  /// enter it, if `found` has all that belong in it.
  init(
    _ event: ResultsEvent, in list: ResultsList, _ criteria: ResultsCriteria, found: Set<NSManagedObject>?
  ) throws {
    var leaving: [NSManagedObject] = []
    var staying: [NSManagedObject] = []
    for object in event.gone where list.contains(object) { leaving.append(object) }
    for object in event.changed where criteria.concerns(object) {
      let isListed = try found?.contains(object) ?? criteria.lists(object)
      switch (list.contains(object), isListed) {
      case (true, true): staying.append(object)
      case (true, false): leaving.append(object)
      case (false, true): inserted.append(try Entry(object, criteria))
      case (false, false): break
      }
    }
    if let found {
      let judged = Set(event.changed + event.gone)
      leaving += list.objects.filter { !found.contains($0) && !judged.contains($0) }
      // With a limit there are others outside the list, and nothing says which of them come next.
      let isPart = criteria.description.limit > 0 || criteria.description.offset > 0
      for object in found where !isPart && !list.contains(object) && !judged.contains(object) {
        inserted.append(try Entry(object, criteria))
      }
    }
    if leaving.isEmpty && staying.isEmpty { return }
    func members(_ objects: [NSManagedObject]) -> [Member] {
      objects.compactMap { object in list.place(of: object).map { Member(object: object, place: $0) } }
        .sorted(on: \.place)
    }
    removed = members(leaving)
    try placeMembers(members(staying), list: list, criteria: criteria)
  }

  /// Separates updates from moves.
  ///
  /// An object moves if its sort keys changed in the event. For refreshed objects the event doesn't say, so the place
  /// decides: the object stays if it fits between the previous one that stays and the next one that did not change.
  private mutating func placeMembers(_ members: [Member], list: ResultsList, criteria: ResultsCriteria) throws {
    // Objects that leave their place, or may do so.
    var affected = Dictionary(grouping: removed, by: \.place.section).mapValues { Set($0.map(\.place.item)) }
    for member in members { affected[member.place.section, default: []].insert(member.place.item) }
    var isMoving = Array(repeating: false, count: members.count)
    // Members come in order, so these are in the section of the last one.
    var section = -1
    var seen = -1  // up to here `previous` is known
    var previous = -1  // the last object up to there that stays
    var next = 0  // the first object after that did not change
    for (index, member) in members.enumerated() {
      let (item, objects) = (member.place.item, list.sections[member.place.section].objects)
      if section != member.place.section {
        (section, seen, previous, next) = (member.place.section, -1, -1, 0)
      }
      if try criteria.sectionName(of: member.object) != list.sections[section].name
        || criteria.isPlaced(anewInEvent: member.object)
      {
        isMoving[index] = true
        continue
      }
      let changed = affected[section]!
      var before = item - 1
      while before > seen, changed.contains(before) { before -= 1 }
      if before > seen { previous = before }
      if next <= item {
        next = item + 1
        while next < objects.count, changed.contains(next) { next += 1 }
      }
      let keys = try criteria.keys(of: member.object)
      let fits =
        try (previous < 0 || criteria.order(keys, objects[previous]) != .orderedAscending)
        && (next >= objects.count || criteria.order(keys, objects[next]) != .orderedDescending)
      seen = item
      if fits { previous = item } else { isMoving[index] = true }
    }
    for (index, member) in members.enumerated() {
      if isMoving[index] {
        moved.append((member, try Entry(member.object, criteria)))
      } else {
        updated.append(member)
      }
    }
  }
}

/// The objects of a notification, grouped for a list.
struct ResultsEvent {
  /// Inserted, updated, refreshed.
  var changed: [NSManagedObject] = []
  /// Deleted, invalidated.
  var gone: [NSManagedObject] = []
  /// The context was reset.
  var isReset = false
  /// The context was saved; nothing in the list has changed by that.
  var isSave = false

  init(_ notification: Notification) {
    if notification.name == .NSManagedObjectContextDidSave {
      isSave = true
      return
    }
    func objects(_ key: String) -> Set<NSManagedObject> {
      notification.userInfo?[key] as? Set<NSManagedObject> ?? []
    }
    isReset = notification.userInfo?[NSInvalidatedAllObjectsKey] != nil
    let gone = objects(NSDeletedObjectsKey).union(objects(NSInvalidatedObjectsKey))
    let changed = objects(NSInsertedObjectsKey).union(objects(NSUpdatedObjectsKey)).union(
      objects(NSRefreshedObjectsKey))
    self.gone = Array(gone)
    self.changed = changed.filter { !gone.contains($0) }
  }

  /// Adds changed objects that the event does not name.
  mutating func add(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    let known = Set(changed + gone)
    changed += objects.filter { !known.contains($0) }
  }

  /// Adds objects that are gone.
  mutating func addGone(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    let known = Set(gone)
    gone += objects.filter { !known.contains($0) }
    leaveOut(objects)
  }

  /// Removes objects from those that changed.
  mutating func leaveOut(_ objects: [NSManagedObject]) {
    if objects.isEmpty { return }
    let others = Set(objects)
    changed.removeAll { others.contains($0) }
  }
}
