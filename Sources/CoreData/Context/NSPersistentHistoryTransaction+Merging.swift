extension NSPersistentHistoryTransaction {
  /// The transaction as a save's notification with ids, for
  /// ``NSManagedObjectContext/mergeChanges(fromContextDidSave:)``. It has no ids if the changes were not read.
  public func objectIDNotification() -> Notification {
    var info: [AnyHashable: Any] = [:]
    let keys: [(NSPersistentHistoryChangeType, String)] = [
      (.insert, NSInsertedObjectIDsKey), (.update, NSUpdatedObjectIDsKey), (.delete, NSDeletedObjectIDsKey),
    ]
    for (type, key) in keys {
      let ids = (changes ?? []).filter { $0.changeType == type }.map(\.changedObjectID)
      if !ids.isEmpty { info[key] = Set(ids) }
    }
    return Notification(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: info)
  }
}
