/// Saving to stores whose methods take managed objects.
///
/// These are the exception to invariant 7: they read the objects of a save while it runs. They find the values that the
/// plan has. New objects have their permanent ids by then, and lose them again if nothing is written.
extension NSManagedObjectContext {
  /// Hands a plan's change sets to the stores, at least one of which takes objects.
  func commitPlan(_ plan: SavePlan, withObjectsTo coordinator: NSPersistentStoreCoordinator) throws -> StoreConflicts {
    let named = giveIDs(plan.inserted.objects)
    do {
      let conflicts = try coordinator.commitChangeSets(plan.changeSets, of: changedObjects)
      if !conflicts.isEmpty { takeBack(named, notOf: conflicts.written) }
      return conflicts
    } catch let partial as PartialSave {
      takeBack(named, notOf: partial.written)
      throw partial
    } catch {
      takeBack(named)
      guard let stated = StatedConflicts.conflicts(in: error as NSError) else { throw error }
      var conflicts = StoreConflicts()
      conflicts.stated = (error as NSError, stated)
      return conflicts
    }
  }

  private func changedObjects(of store: NSPersistentStore) -> ChangedObjects {
    let number = owner.number(of: store.identity)
    return ChangedObjects(context: self) { [owner] in owner!.object(for: $0, store: number) }
  }

  /// A new object with its permanent id, and the id it had before.
  private typealias NamedObject = (object: NSManagedObject, key: Int64, id: NSManagedObjectID?)

  private func giveIDs(_ objects: ContiguousArray<NSManagedObject>) -> [NamedObject] {
    let hasChildren = !children.isEmpty
    var named: [NamedObject] = []
    for object in objects where object.key < 0 && owner.storeIdentity(object.store)?.takesObjects == true {
      named.append((object, object.key, object.cachedID))
      adoptReservedKey(object, hasChildren: hasChildren)
    }
    return named
  }

  /// The keys stay reserved for the next attempt.
  private func takeBack(_ named: [NamedObject], notOf written: [NSPersistentStore] = []) {
    let kept = Set(written.map { owner.number(of: $0.identity) })
    for (object, key, id) in named where !kept.contains(object.store) {
      let reserved = object.key
      owner.rekey(object, to: key)
      object.cachedID = id
      object.reserve(reserved)
      formerKeys[key] = nil
    }
  }
}

/// Reads what the delete rules of objects in custom stores need, for many objects together. An object for which reading
/// fails is left for later, and not asked for again on its own: the store may be a server that does not answer.
final class DeleteRuleReading {
  private let context: NSManagedObjectContext
  /// How many of the deleted objects have been prepared.
  private var count = 0
  private var unread: Set<ObjectIdentifier> = []
  /// Why reading failed for some objects.
  private(set) var error: (any Error)?
  /// Keeps rows alive until the rules have been applied.
  private var held: [NSManagedObject] = []

  init(_ context: NSManagedObjectContext) { self.context = context }

  func lacks(_ object: NSManagedObject) -> Bool { !unread.isEmpty && unread.contains(ObjectIdentifier(object)) }

  /// Prepares objects that were deleted since the last call, as by a cascade.
  func readNewcomers(from index: Int) {
    guard index >= count else { return }
    let deleted = context.ledger.deletedList
    let new = deleted[count...].filter { object in
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

/// Errors in which a custom store itself names objects whose rows have changed, as Apple's documentation asks of it, or
/// that break a uniqueness constraint.
private enum StatedConflicts {
  static func conflicts(in error: NSError) -> [Any]? {
    guard error.domain == NSCocoaErrorDomain else { return nil }
    let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] ?? error.userInfo[NSConflictListErrorKey]
    switch error.code {
    case NSManagedObjectMergeError: return nonempty(list as? [NSMergeConflict])
    case NSManagedObjectConstraintMergeError: return nonempty(list as? [NSConstraintConflict])
    default: return nil
    }
  }

  private static func nonempty<Conflict>(_ conflicts: [Conflict]?) -> [Any]? {
    conflicts.flatMap { $0.isEmpty ? nil : $0 }
  }
}
