/// Applies a merge policy to conflicts of uniqueness constraints.
///
/// Only the result of a save counts: values are in conflict if they would be there twice once everything is written.
/// Rows that exchange, rotate or shift their values, or take a value that a delete in the same save frees, are no
/// conflict, and no policy is asked about them. Inherited constraints count for the whole hierarchy. A row with nil in
/// one of the properties never conflicts.
///
/// | in conflict | `error` | `overwrite`, `mergeByPropertyObjectTrump` | `rollback`, `mergeByPropertyStoreTrump` |
/// |---|---|---|---|
/// | stored, both or one of them edited | error | error | edited ones take back their stored values |
/// | new, with an unedited stored one | error | the stored one takes its values, and it goes | it goes |
/// | new, with two stored ones, by two constraints | error | error | it goes |
/// | new, with a stored one that was edited to have the value | error | it goes | it goes |
/// | new ones | error | the first stays, the others go | the first stays, the others go |
///
/// Errors are `NSManagedObjectConstraintMergeError`, and nothing is written. An edit that is taken back gives the
/// constraint's properties their stored values again, and under `rollback` all attributes and to-one relationships. An
/// edited object that relied on such a value being free takes its own edit back in turn. New objects are settled in the
/// order of insertion.
///
/// When a new object goes, the one that keeps the value takes over what it is related to: under `overwrite` and
/// `mergeByPropertyObjectTrump` all of it, under the others what is new. A new one that stays keeps its own values, but
/// for those of a to-one relationship that is nil. With `lastNewWins` it takes those of the last one that goes.
///
/// Stored objects are only deleted by the program. Those that are left to a new object when it goes, and that its
/// delete rules would take along, stay, and return to where the store has them.
struct ConstraintSettlement {
  private let conflicts: [NSConstraintConflict]
  private let type: NSMergePolicyType
  /// Whether of new objects with one value the last one's values win, as if each had been saved on its own.
  private let lastNewWins: Bool
  private var keepsStored: Bool {
    type == .rollbackMergePolicyType || type == .mergeByPropertyStoreTrumpMergePolicyType
  }

  init(of conflicts: [NSConstraintConflict], by type: NSMergePolicyType, lastNewWins: Bool = false) {
    self.conflicts = conflicts
    self.type = type
    self.lastNewWins = lastNewWins
  }

  func settleConflicts() throws {
    if keepsStored {
      var former = FormerConstraintValues(type)
      let broken = conflicts.filter { $0.storedObjects.count > 1 }
      former.takeBack(broken.flatMap { conflict in conflict.editedObjects.map { ($0, conflict.constraint) } })
      try removeNewObjects(former.objects)
    } else {
      let insoluble = insoluble()
      if !insoluble.isEmpty { throw Failure.constraintConflict(conflicts: insoluble).nsError }
      try removeNewObjects([])
    }
  }

  /// The conflicts that object trump and overwrite can't settle: those between stored objects, and those of a new
  /// object with several of them.
  private func insoluble() -> [NSConstraintConflict] {
    var partners: [ObjectIdentifier: Set<ObjectIdentifier>] = [:]
    for conflict in conflicts {
      let stored = conflict.storedObjects.map(ObjectIdentifier.init)
      for object in conflict.newObjects { partners[ObjectIdentifier(object), default: []].formUnion(stored) }
    }
    return conflicts.filter { conflict in
      conflict.storedObjects.count > 1
        || conflict.newObjects.contains { partners[ObjectIdentifier($0)]!.count > 1 }
    }
  }

  /// Decides about new objects in the order of insertion. The `formerObjects` no longer have the value in question.
  private func removeNewObjects(_ formerObjects: Set<ObjectIdentifier>) throws {
    // For each conflict, the object that has the value, as far as is decided.
    var holders = conflicts.map { conflict -> NSManagedObject? in
      conflict.storedObject ?? conflict.editedObjects.first { !formerObjects.contains(ObjectIdentifier($0)) }
    }
    // For each new object, its conflicts.
    var indexes: [ObjectIdentifier: [Int]] = [:]
    var new: [NSManagedObject] = []
    for (index, conflict) in conflicts.enumerated() {
      for object in conflict.newObjects {
        if indexes[ObjectIdentifier(object)] == nil { new.append(object) }
        indexes[ObjectIdentifier(object), default: []].append(index)
      }
    }
    new.sort(by: isEarlier)
    var losers: [NSManagedObject] = []
    var successions: [ConstraintSuccession] = []
    // For each object that takes values, the succession of the last new one that goes for its sake.
    var last: [ObjectIdentifier: Int] = [:]
    for object in new {
      let indexes = indexes[ObjectIdentifier(object)]!
      guard indexes.contains(where: { holders[$0] != nil }) else {
        for index in indexes { holders[index] = object }
        continue
      }
      losers.append(object)
      let stored = indexes.compactMap { conflicts[$0].storedObject }
      guard let keeper = keeper(stored, indexes.compactMap { holders[$0] }) else { continue }
      if !keepsStored, !stored.isEmpty || lastNewWins && keeper.state.contains(.inserted) {
        last[ObjectIdentifier(keeper)] = successions.count
      }
      successions.append(ConstraintSuccession(of: object, by: keeper))
    }
    for index in last.values { successions[index].takesValues = true }
    try remove(losers, takenBy: successions)
  }

  /// Who takes over what a new object that goes is related to: the stored object that keeps the value, or the one that
  /// was edited to have it, if that is one; else the first of the new ones.
  private func keeper(_ stored: [NSManagedObject], _ holders: [NSManagedObject]) -> NSManagedObject? {
    let saved = stored.isEmpty ? holders.filter { !$0.state.contains(.inserted) } : stored
    if let first = saved.first { return saved.allSatisfy { $0 === first } ? first : nil }
    return holders.min(by: isEarlier)
  }

  /// Whether a new object was inserted before another, as far as keys tell: they are given out in that order, and
  /// temporary ones count downwards. Those that have permanent keys already come first.
  private func isEarlier(_ object: NSManagedObject, _ other: NSManagedObject) -> Bool {
    let (key, otherKey) = (object.finalReference.key, other.finalReference.key)
    if (key > 0) != (otherKey > 0) { return key > 0 }
    return key.magnitude < otherKey.magnitude
  }

  private func remove(
    _ losers: [NSManagedObject], takenBy successions: [ConstraintSuccession]
  ) throws {
    // All is read before anything changes: then no change can fail.
    for succession in successions { try succession.readMembers() }
    let read = try losers.flatMap { try $0.readStoredObjects() }
    let references = try OneWayReferences(to: successions, fromNewOnly: keepsStored)
    let leaving = Set(losers.map(ObjectIdentifier.init))
    // New ones first: what they take over may go on to a stored one.
    for succession in successions.filter(\.isByNew) + successions.filter({ !$0.isByNew }) {
      succession.takeOver(newOnly: keepsStored, leaving)
    }
    references.redirect()
    for loser in losers {
      loser.leaveStoredObjectsBehind()
      loser.managedObjectContext?.delete(loser)
    }
    withExtendedLifetime(read) {}
  }
}

extension NSConstraintConflict {
  /// The object of the store's row, unless a policy of the program's own has deleted it.
  fileprivate var storedObject: NSManagedObject? {
    databaseObject.flatMap { $0.state.contains(.deleted) ? nil : $0 }
  }

  /// Stored objects that get the values by this save.
  fileprivate var editedObjects: [NSManagedObject] {
    conflictingObjects.filter { $0.state.isDisjoint(with: [.inserted, .deleted]) && $0 !== databaseObject }
  }

  fileprivate var newObjects: [NSManagedObject] {
    conflictingObjects.filter {
      $0.state.contains(.inserted) && !$0.state.contains(.deleted) && $0 !== databaseObject
    }
  }

  fileprivate var storedObjects: [NSManagedObject] { [storedObject].compactMap { $0 } + editedObjects }
}

extension NSManagedObject {
  /// The stored objects that this new object and the new objects that go with it lead to. Its delete rules must not
  /// touch them when it goes.
  fileprivate var relatedStoredObjects: [(object: NSManagedObject, other: NSManagedObject, property: LayoutProperty)] {
    var related: [(object: NSManagedObject, other: NSManagedObject, property: LayoutProperty)] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    var leaving = [self]
    while let object = leaving.popLast() {
      for property in object.layout.relationships {
        let others = object.destinations(of: property)
        for other in others where !other.state.contains(.deleted) {
          if !other.state.contains(.inserted) {
            related.append((object, other, property))
          } else if property.relationship.deleteRule == .cascadeDeleteRule,
            seen.insert(ObjectIdentifier(other)).inserted
          {
            leaving.append(other)
          }
        }
      }
    }
    return related
  }

  /// Reads the related stored objects whose own values will change.
  ///
  /// - Returns: Those that it has read. Without a reference to one, its row would be read again.
  fileprivate func readStoredObjects() throws -> [NSManagedObject] {
    try relatedStoredObjects.compactMap { object, other, property in
      guard other.state.contains(.fault), property.inverse?.kind == .toOne else { return nil }
      return try managedObjectContext?.readRow(of: other) == true ? other : nil
    }
  }

  /// Called before a new object goes: unrelates the stored objects from it and from the new objects that go with it.
  fileprivate func leaveStoredObjectsBehind() {
    for (object, other, property) in relatedStoredObjects { object.endRelationship(other, property) }
  }

  /// Ends a relationship to a stored object, which returns to where the store has it.
  private func endRelationship(_ other: NSManagedObject, _ property: LayoutProperty) {
    if let inverse = property.inverse, inverse.kind == .toOne {
      other.readForChange()
      if let own = other.layout.property(keyNumber: inverse.keyNumber) { other.takeBack(own, clearing: true) }
    }
    if property.kind == .toMany {
      removeMember(other, property)
    } else if toOne(property) === other {
      setToOne(nil, property)
    }
  }
}
