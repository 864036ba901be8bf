/// The key by which observers tell a merge's notification of changes from those of the context's own changes: it is
/// there, with an empty set. Apple's framework declares no name for it; clients write the text.
private let changedByMergeKey = "NSObjectsChangedByMergeChangesKey"

/// Taking over what other contexts have saved.
extension NSManagedObjectContext {
  /// ``mergeChanges(fromContextDidSave:)``.
  func mergeSave(_ notification: Notification) {
    guardQueue("mergeChanges(fromContextDidSave:)")
    guard owner != nil else { return }
    let merge = MergedIDs(notification.userInfo ?? [:], self)
    // This coordinator's cache does not know of another coordinator's saves; those from history may be another
    // process's.
    let isHistory = notification.object is NSPersistentHistoryTransaction
    let foreign = isHistory ? merge.all : merge.all.filter { !isOwn($0.storeIdentity) }
    if !foreign.isEmpty { persistentStoreCoordinator?.noteChangedElsewhere(foreign) }
    self.merge(merge, isWhole: isHistory || notification.object is NSManagedObjectContext)
  }

  /// ``mergeChanges(fromRemoteContextSave:into:)``.
  static func mergeElsewhere(_ changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]) {
    let contexts = contexts.filter { $0.owner != nil }.sorted(on: \.contextsAbove.count)
    var told: [NSPersistentStoreCoordinator] = []
    for context in contexts {
      guard let coordinator = context.persistentStoreCoordinator else { continue }
      context.runInTurn {
        let merge = MergedIDs(changeNotificationData, context)
        if !told.contains(where: { $0 === coordinator }) {
          told.append(coordinator)
          coordinator.noteChangedElsewhere(merge.all)
        }
        context.merge(merge, isWhole: false)
      }
    }
  }

  private func isOwn(_ store: StoreIdentity?) -> Bool {
    guard let store else { return true }
    return persistentStoreCoordinator?.persistentStores.contains { $0.identity === store } ?? true
  }

  private func merge(_ ids: MergedIDs, isWhole: Bool) {
    merge(inserted: ids.inserted, updated: ids.updated, deleted: ids.deleted, isWhole: isWhole)
  }

  /// Merges a save that the coordinator reported. Called on this context's queue.
  func merge(_ notice: SaveNotice) {
    func ids(_ references: [RowReference], _ store: StoreIdentity) -> [NSManagedObjectID] {
      references.map {
        NSManagedObjectID(layout: owner.layouts[Int($0.entity)], key: $0.key, store: store)
      }
    }
    for part in notice.parts {
      merge(
        inserted: ids(part.inserted, part.store),
        updated: ids(part.updated.map(\.reference) + part.touched, part.store),
        deleted: ids(part.deleted, part.store), isWhole: true)
    }
  }

  /// - Parameter isWhole: Whether each deleted row is named, as by a context's save, which has applied all rules, and
  ///   by the history. Then the merge need not look for what a cascade deleted with them.
  func merge(
    inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID], isWhole: Bool
  ) {
    guard owner != nil else { return }
    var gone = deleted
    defer { announceToChildren(inserted: inserted, updated: updated, deleted: gone, isWhole: isWhole) }
    source.learnKeys(for: self)
    processPendingChanges()
    moveGeneration()
    let followers = followers.living
    var changes = ObjectChanges()
    mergeInserted(inserted, followers, into: &changes)
    mergeUpdated(updated, followers, into: &changes)
    changes.deleted.append(contentsOf: deleted.lazy.compactMap { self.registeredObject(for: $0) })
    let members = isWhole ? [] : objectsGone(with: changes.deleted)
    if !members.isEmpty {
      let ids = members.map(\.objectID)
      gone += ids
      persistentStoreCoordinator?.noteChangedElsewhere(ids)
      changes.deleted += members
    }
    forgetDeletedElsewhere(changes.deleted)
    forgetInverses()
    checkInvariants("after a merge")
    if !changes.isEmpty { tell(ofMerge: changes) }
  }

  private func mergeInserted(
    _ ids: [NSManagedObjectID], _ followers: [any ChangeFollower], into changes: inout ObjectChanges
  ) {
    for id in ids where source.mayHave(id.key) {
      let known = registeredObject(for: id)
      let object = known ?? self.object(with: id)
      if object.state.contains(.fault) {
        if known != nil { object.forgetFaultRow() }
        changes.inserted.append(object)
      } else if object.state.isDisjoint(with: [.inserted, .deleted]) {
        // It was read before its insertion was reported, so no list knows it yet; or a batch request has overwritten
        // it.
        if refreshMerging(object) || !followers.isEmpty { changes.refreshed.append(object) }
      }
    }
  }

  private func mergeUpdated(
    _ ids: [NSManagedObjectID], _ followers: [any ChangeFollower], into changes: inout ObjectChanges
  ) {
    for id in ids {
      let known = registeredObject(for: id)
      guard let object = known ?? newcomer(id, to: followers) else { continue }
      if object.state.contains(.fault) {
        object.forgetFaultRow()
      } else {
        _ = refreshMerging(object)
      }
      changes.refreshed.append(object)
    }
  }

  private func tell(ofMerge changes: ObjectChanges) {
    var changes = changes
    changes.deleted.forEachHeld { ledger.saysDeleted($0) }
    post(
      .NSManagedObjectContextObjectsDidChange,
      changes.userInfo.merging([changedByMergeKey: Set<NSManagedObject>()]) { $1 })
    // They were updated in the context that saved them, and are refreshed in this one.
    changes.updated = changes.refreshed
    post(.NSManagedObjectContextDidMergeChangesObjectIDs, changes.idUserInfo)
  }

  /// A fault for a row that this context does not have, if a list could take it.
  private func newcomer(
    _ id: NSManagedObjectID, to followers: [any ChangeFollower]
  ) -> NSManagedObject? {
    if followers.isEmpty || !source.mayHave(id.key) { return nil }
    guard let layout = owner.layouts.layout(of: id.entity) else { return nil }
    guard followers.contains(where: { $0.mayTake(layout, of: id.storeIdentity) }) else {
      return nil
    }
    return object(with: id)
  }

  /// Whether the row differs from the one that the object had.
  private func refreshMerging(_ object: NSManagedObject) -> Bool {
    guard let row = source.cachedRow(of: object, for: self) ?? readAgain(object) else { return false }
    let isOther = row !== object.row
    object.takeRefreshed(row)
    return isOther
  }

  /// The members of unchanged to-many relationships may have changed, so they are read again.
  func forgetInverses() {
    for object in owner.allObjects {
      for state in object.memberStates where state?.isChanged == false {
        state?.discardChanges(keepingBase: object.state.contains(.inserted))
      }
    }
  }
}

/// The objects that a notification's payload names, as ids that a context can use.
private struct MergedIDs {
  let inserted: [NSManagedObjectID]
  let updated: [NSManagedObjectID]
  let deleted: [NSManagedObjectID]

  var all: [NSManagedObjectID] { inserted + updated + deleted }

  init(_ payload: [AnyHashable: Any], _ context: NSManagedObjectContext) {
    let stores = context.persistentStoreCoordinator?.persistentStores ?? []
    let layouts = context.owner.layouts
    func isKnown(_ id: NSManagedObjectID) -> Bool {
      guard layouts.layout(of: id.entity) != nil else { return false }
      guard let store = id.storeIdentity else { return true }
      return stores.contains { $0.identity === store || $0.identity.uuid == store.uuid }
    }
    func ids(_ keys: String...) -> [NSManagedObjectID] {
      keys.flatMap { MergedIDs.ids(in: payload[$0], context) }.filter(isKnown)
    }
    inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
    updated = ids(
      NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey,
      NSInvalidatedObjectsKey, NSInvalidatedObjectIDsKey)
    deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
  }

  private static func ids(in value: Any?, _ context: NSManagedObjectContext) -> [NSManagedObjectID] {
    let elements: [Any]
    switch value {
    case let set as Set<NSManagedObject>: return set.map(\.objectID)
    case let set as Set<NSManagedObjectID>: return Array(set)
    case let set as NSSet: elements = set.allObjects
    case let array as [Any]: elements = array
    default: elements = []
    }
    return elements.compactMap { element in
      switch element {
      case let object as NSManagedObject: object.objectID
      case let id as NSManagedObjectID: id
      case let url as URL: context.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: url)
      default: nil
      }
    }
  }
}

extension NSPersistentStoreCoordinator {
  /// Tells the stores that these rows were written elsewhere.
  fileprivate func noteChangedElsewhere(_ ids: [NSManagedObjectID]) {
    for store in persistentStores {
      guard let rows = store.identity.rowStore else { continue }
      let own = ids.filter { $0.key > 0 && $0.storeIdentity?.uuid == store.identity.uuid }
      let references = own.compactMap { id in
        layouts.layout(of: id.entity).map { RowReference(entity: $0.index, key: id.key) }
      }
      if !references.isEmpty { rows.changedElsewhere(references) }
    }
  }
}
