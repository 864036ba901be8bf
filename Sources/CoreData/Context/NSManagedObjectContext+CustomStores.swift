/// Saving to stores whose methods take managed objects.
///
/// These are an exception to invariant 7: they read the objects of a save while it runs. They find the values that the
/// plan has. New objects have their permanent ids by then, and lose them again if nothing is written.
extension NSManagedObjectContext {
  /// Hands a plan's change sets to the stores, at least one of which takes objects.
  func commitPlan(_ plan: SavePlan, withObjectsTo coordinator: NSPersistentStoreCoordinator) throws -> StoreConflicts {
    // A store's method may ask and change whichever object it finds.
    plan.takeBackValues()
    let named = giveIDs(plan.inserted.objects)
    do {
      let conflicts = try coordinator.commitChangeSets(plan.changeSets, for: self, of: changedObjects)
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
      formerKeys.remove(key)
    }
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
