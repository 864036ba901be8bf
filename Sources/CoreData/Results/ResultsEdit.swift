/// What an event does to a list, worked out before anything is changed.
struct ResultsEdit {
  /// An object with a place in the old list.
  struct Member {
    let object: NSManagedObject
    let place: ResultsPlace
  }

  /// An object that is to be put in.
  struct Entry {
    let object: NSManagedObject
    let sectionName: String
    let keys: [PredicateValue]

    init(_ object: NSManagedObject, _ criteria: ResultsCriteria) throws {
      self.object = object
      sectionName = try criteria.sectionName(of: object)
      keys = try criteria.keys(of: object)
    }

    /// Of objects that sort alike, saved ones come first, then new ones in the order they were made.
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

  /// Finds out which of the changed objects leave the list, stay, move and come.
  init(_ event: ResultsEvent, in list: ResultsList, _ criteria: ResultsCriteria) throws {
    var leaving: [NSManagedObject] = []
    var staying: [NSManagedObject] = []
    for object in event.gone where list.section(of: object) != nil { leaving.append(object) }
    for object in event.changed where criteria.concerns(object) {
      let isListed = try criteria.lists(object)
      switch (list.section(of: object) != nil, isListed) {
      case (true, true): staying.append(object)
      case (true, false): leaving.append(object)
      case (false, true): inserted.append(try Entry(object, criteria))
      case (false, false): break
      }
    }
    if leaving.isEmpty && staying.isEmpty { return }
    let places = list.places(of: leaving + staying)
    func members(_ objects: [NSManagedObject]) -> [Member] {
      objects.compactMap { object in
        places[ObjectIdentifier(object)].map { Member(object: object, place: $0) }
      }.sorted { $0.place < $1.place }
    }
    removed = members(leaving)
    try settle(members(staying), list, criteria)
  }

  /// Tells updates from moves.
  ///
  /// An object moves when what sorts it changed in the event. Where the event doesn't tell (objects that were
  /// refreshed), the place does: it stays if it fits between the object before it that stays and the next one
  /// that did not change.
  private mutating func settle(_ members: [Member], _ list: ResultsList, _ criteria: ResultsCriteria) throws {
    var leaving = Dictionary(grouping: removed, by: \.place.section).mapValues { Set($0.map(\.place.item)) }
    var isMoving = Array(repeating: false, count: members.count)
    for (index, member) in members.enumerated() {
      let name = try criteria.sectionName(of: member.object)
      isMoving[index] =
        name != list.sections[member.place.section].name
        || member.object.changedValuesForCurrentEvent().keys.contains(where: criteria.placingKeys.contains)
      if isMoving[index] { leaving[member.place.section, default: []].insert(member.place.item) }
    }
    let staying = Dictionary(grouping: members.indices.filter { !isMoving[$0] }) { members[$0].place.section }
    for (section, indices) in staying {
      let objects = list.sections[section].objects
      let left = leaving[section] ?? []
      let affected = left.union(indices.map { members[$0].place.item })
      var previous = -1  // the last object before that stays
      var seen = -1  // up to here `previous` is known
      var next = 0  // the first object after that did not change
      for index in indices {
        let item = members[index].place.item
        while seen < item - 1 {
          seen += 1
          if !affected.contains(seen) { previous = seen }
        }
        if next <= item {
          next = item + 1
          while next < objects.count, affected.contains(next) { next += 1 }
        }
        let keys = try criteria.keys(of: objects[item])
        let fits =
          try (previous < 0 || criteria.order(keys, objects[previous]) != .orderedAscending)
          && (next >= objects.count || criteria.order(keys, objects[next]) != .orderedDescending)
        seen = item
        if fits { previous = item } else { isMoving[index] = true }
      }
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

/// The objects of a notification, as a list sees them.
struct ResultsEvent {
  /// Inserted, updated, refreshed.
  var changed: [NSManagedObject] = []
  /// Deleted, invalidated.
  var gone: [NSManagedObject] = []
  /// Everything was forgotten.
  var isReset = false

  init(_ notification: Notification) {
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
}
