/// Taking over what other contexts have saved.
extension NSManagedObjectContext {
  /// Merges a save of another context of the same coordinator, from its `didSave` notification.
  ///
  /// New objects come in as faults, changed ones that this context has are refreshed under its own changes,
  /// deleted ones leave. Nothing of it counts as a change of this context. A pinned context goes on to the newest
  /// state. Called on this context's queue.
  public func mergeChanges(fromContextDidSave notification: Notification) {
    guardQueue("mergeChanges(fromContextDidSave:)")
    let info = notification.userInfo ?? [:]
    func ids(_ keys: String...) -> [NSManagedObjectID] {
      keys.flatMap { NSManagedObjectContext.ids(in: info[$0]) }
    }
    merge(
      inserted: ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey),
      updated: ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey),
      deleted: ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey))
  }

  /// Merges changes that no context of this process made, such as those of a batch request, into contexts.
  /// The values are arrays or sets of ids, or of their URIs.
  public class func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
  ) {
    let notification = Notification(
      name: .NSManagedObjectContextDidSaveObjectIDs, object: nil, userInfo: changeNotificationData)
    for context in contexts {
      context.runAndWait { context.mergeChanges(fromContextDidSave: notification.resolvingURIs(in: context)) }
    }
  }

  private static func ids(in value: Any?) -> [NSManagedObjectID] {
    let elements: [Any]
    switch value {
    case let set as Set<NSManagedObject>: return set.map(\.objectID)
    case let set as Set<NSManagedObjectID>: return Array(set)
    case let set as NSSet: elements = set.allObjects
    case let array as [Any]: elements = array
    default: elements = []
    }
    return elements.compactMap { ($0 as? NSManagedObject)?.objectID ?? $0 as? NSManagedObjectID }
  }

  /// Merges a save that the coordinator told of. On this context's queue.
  func merge(_ notice: SaveNotice) {
    func ids(_ references: [RowReference], _ store: StoreIdentity) -> [NSManagedObjectID] {
      references.map {
        NSManagedObjectID(layout: owner.layouts.layouts[Int($0.entity)], key: $0.key, store: store)
      }
    }
    for part in notice.parts {
      merge(
        inserted: ids(part.inserted, part.store), updated: ids(part.updated.map(\.reference), part.store),
        deleted: ids(part.deleted, part.store))
    }
  }

  func merge(
    inserted: [NSManagedObjectID], updated: [NSManagedObjectID], deleted: [NSManagedObjectID]
  ) {
    guard owner != nil else { return }
    defer { announceToChildren(inserted: inserted, updated: updated, deleted: deleted) }
    learnKeys()
    processPendingChanges()
    moveGeneration()
    var changes = ObjectChanges()
    for id in inserted where id.key > 0 || parent != nil {
      let object = object(with: id)
      if object.state.contains(.fault) { changes.inserted.append(object) }
    }
    for id in updated {
      guard let object = registeredObject(for: id) else { continue }
      if object.state.contains(.fault) {
        object.forgetFaultRow()
      } else {
        refreshMerging(object)
      }
      changes.updated.append(object)
    }
    for id in deleted {
      guard let object = registeredObject(for: id) else { continue }
      changes.deleted.append(object)
    }
    forgetDeletedElsewhere(changes.deleted)
    forgetInverses()
    checkInvariants("after a merge")
    if changes.isEmpty { return }
    post(.NSManagedObjectContextObjectsDidChange, changes.userInfo)
    post(.NSManagedObjectContextDidMergeChangesObjectIDs, changes.idUserInfo)
  }

  private func refreshMerging(_ object: NSManagedObject) {
    let cached = parent == nil ? (try? reader(of: object.store))?.rowCache.row(object.reference) : nil
    if let row = cached ?? readAgain(object) { object.takeRefreshed(row) }
  }

  /// Members of unchanged to-many relationships may be others now: they are asked for again.
  private func forgetInverses() {
    for object in owner.allObjects {
      for state in object.toManyStates where state?.isChanged == false {
        state?.discardChanges(keepingBase: object.state.contains(.inserted))
      }
    }
  }
}

extension Notification {
  /// URIs among the values become ids.
  fileprivate func resolvingURIs(in context: NSManagedObjectContext) -> Notification {
    guard let coordinator = context.persistentStoreCoordinator else { return self }
    var copy = self
    for (key, value) in userInfo ?? [:] {
      let elements = (value as? NSSet)?.allObjects ?? value as? [Any] ?? []
      copy.userInfo?[key] = elements.compactMap { element in
        (element as? URL).map { coordinator.managedObjectID(forURIRepresentation: $0) as Any } ?? element
      }
    }
    return copy
  }
}
