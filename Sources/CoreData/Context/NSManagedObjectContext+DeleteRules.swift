/// What happens to the objects at the other end of a deleted object's relationships.
extension NSManagedObjectContext {
  var hasDeletesToPropagate: Bool {
    ledger.deletedList[ledger.settledDeletions...].contains {
      $0.state.contains(.deleted) && $0.state.isDisjoint(with: .withoutDueRules)
    }
  }

  /// Applies the delete rules of every deleted object whose rules were not applied yet; cascades add to the list
  /// while it is walked. New objects leave when the event ends, so their rules can't wait for the save.
  ///
  /// Rules can't throw once they have begun. So what those of an object need is read before, and where that fails they
  /// are left for later. Returns the last such error, and the new objects whose rules are left: they can't leave yet.
  func propagateDeletes(
    ofNewObjectsOnly isForNewOnly: Bool
  ) -> (error: (any Error)?, postponed: [NSManagedObject]) {
    let reading = owner.hasCustomStores && !isForNewOnly ? DeleteRuleReading(self) : nil
    var unread: (any Error)?
    var postponed: [NSManagedObject] = []
    var left: Set<ObjectIdentifier> = []
    func isDue(_ object: NSManagedObject) -> Bool {
      object.state.contains(.deleted) && object.state.isDisjoint(with: .withoutDueRules)
        && !(isForNewOnly && !object.state.contains(.inserted))
        && (left.isEmpty || !left.contains(ObjectIdentifier(object)))
    }
    var index = ledger.settledDeletions
    while true {
      // The program's methods may have saved or reset meanwhile, which empties the list.
      if index >= ledger.deletedList.count {
        // One whose deletion was taken back is in the list still, before the one whose rule deletes it again.
        guard let again = ledger.deletedList[ledger.settledDeletions...].firstIndex(where: isDue) else { break }
        index = again
      }
      let object = ledger.deletedList[index]
      reading?.readNewcomers(from: index)
      index += 1
      guard isDue(object) else {
        // A new object can't leave yet, while its `prepareForDeletion()` runs.
        if object.state.contains([.deleted, .inserted, .preparing]) { postponed.append(object) }
        continue
      }
      if reading?.lacks(object) == true {
        left.insert(ObjectIdentifier(object))
        continue
      }
      let read: [NSManagedObject]
      do { read = try readForRules(of: object) } catch {
        unread = error
        left.insert(ObjectIdentifier(object))
        if object.state.contains(.inserted) { postponed.append(object) }
        continue
      }
      ledger.rulesApplied(to: object)
      for property in object.layout.relationships { apply(property.relationship.deleteRule, of: property, to: object) }
      withExtendedLifetime(read) {}
    }
    ledger.settleDeletions()
    return (unread ?? reading?.error, postponed)
  }

  /// Reads the members that delete rules ask for, and the rows of the faults that they change. With an undo manager it
  /// reads all members, because the deletion's undoing brings them back whatever the rule.
  ///
  /// - Returns: The faults that it has read. Without a reference to one, its row would be read again by the rule.
  private func readForRules(of object: NSManagedObject) throws -> [NSManagedObject] {
    var read: [NSManagedObject] = []
    for property in object.layout.relationships {
      let isCascade = property.relationship.deleteRule == .cascadeDeleteRule
      let isOneSided = property.oneSidedInverse != nil
      let inverse = property.inverse ?? property.oneSidedInverse
      let isSevered = isCascade || property.relationship.deleteRule == .nullifyDeleteRule && inverse != nil
      if property.kind == .toMany, isSevered || undoManager != nil { try object.readMembers(property) }
      guard isCascade || isSevered && (inverse?.kind == .toOne || isOneSided) else { continue }
      for destination in object.destinations(of: property) {
        if destination.state.contains(.fault) {
          guard try readRow(of: destination) else { continue }
          read.append(destination)
        }
        if isOneSided, let inverse, inverse.kind == .toMany, inverse.destinations.contains(object.layout.index),
          let own = destination.layout.property(keyNumber: inverse.keyNumber)
        {
          try destination.readMembers(own)
        }
      }
    }
    return read
  }

  private func apply(
    _ rule: NSDeleteRule, of property: LayoutProperty, to object: NSManagedObject
  ) {
    switch rule {
    // Deny is checked by the save, which succeeds only if no destination leads back here.
    case .noActionDeleteRule, .denyDeleteRule: break
    case .nullifyDeleteRule: object.nullify(property)
    case .cascadeDeleteRule:
      let destinations = object.destinations(of: property)
      for destination in destinations where !destination.state.contains(.deleted) {
        destination.readForChange()
        if destination.state.contains(.inaccessible) { continue }
        beginDeletion(of: destination)
      }
      object.nullify(property)
    @unknown default: break
    }
  }
}

extension ObjectState {
  /// Of deleted objects whose rules are not to be applied: those that have been, and those whose
  /// `prepareForDeletion()` runs and has to find the relationships as they were, also if it fetches.
  fileprivate static let withoutDueRules: ObjectState = [.propagated, .preparing]
}

/// Reads what the delete rules of objects in custom stores need, for many objects together. An object for which reading
/// fails is left for later, and not asked for again on its own: the store may be a server that does not answer.
private final class DeleteRuleReading {
  private let context: NSManagedObjectContext
  /// How many of the deleted objects have been prepared.
  private var count: Int
  private var unread: Set<ObjectIdentifier> = []
  /// Why reading failed for some objects.
  private(set) var error: (any Error)?
  /// Keeps rows alive until the rules have been applied.
  private var held: [NSManagedObject] = []

  init(_ context: NSManagedObjectContext) {
    self.context = context
    count = context.ledger.settledDeletions
  }

  func lacks(_ object: NSManagedObject) -> Bool { !unread.isEmpty && unread.contains(ObjectIdentifier(object)) }

  /// Prepares objects that were deleted since the last call, as by a cascade.
  func readNewcomers(from index: Int) {
    guard index >= count else { return }
    let deleted = context.ledger.deletedList
    let new = deleted[min(count, deleted.count)...].filter { object in
      object.state.contains(.deleted) && object.state.isDisjoint(with: [.propagated, .inserted])
        && context.owner.storeIdentity(object.store)?.asksContexts == true
    }
    count = deleted.count
    do { try read(Array(new)) } catch {
      unread.formUnion(new.map(ObjectIdentifier.init))
      self.error = error
    }
  }

  private func read(_ objects: [NSManagedObject]) throws {
    var toMany: Set<String> = []
    var destinations: [NSManagedObject] = []
    for object in objects {
      for property in object.layout.relationships where !property.isTransient {
        let rule = property.relationship.deleteRule
        guard rule == .cascadeDeleteRule || rule == .nullifyDeleteRule else { continue }
        if property.kind == .toMany {
          toMany.insert(property.name)
        } else if rule == .cascadeDeleteRule, let destination = object.toOne(property) {
          destinations.append(destination)
        }
      }
    }
    for name in toMany.sorted() { held += try context.source.readMembers(name, of: objects, for: context) }
    try context.readRows(of: destinations)
    held += destinations
  }
}
