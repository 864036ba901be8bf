extension Notification.Name {
  /// Posted on the context's queue when pending changes have been processed; `object` is the context.
  public static let NSManagedObjectContextObjectsDidChange =
    Notification.Name("NSObjectsChangedInManagingContextNotification")
  /// Posted at the beginning of a save that has something to write.
  public static let NSManagedObjectContextWillSave = Notification.Name("NSManagedObjectContextWillSaveNotification")
  /// Posted at the end of a successful save.
  public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
  /// The older names of ids and merges.
  public static let NSManagedObjectContextDidSaveObjectIDs =
    Notification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
  public static let NSManagedObjectContextDidMergeChangesObjectIDs =
    Notification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
  /// Posted by a coordinator when its stores have changed, before and after.
  public static let NSPersistentStoreCoordinatorStoresWillChange =
    Notification.Name("NSPersistentStoreCoordinatorStoresWillChangeNotification")
  public static let NSPersistentStoreCoordinatorStoresDidChange =
    Notification.Name("NSPersistentStoreCoordinatorStoresDidChangeNotification")
  public static let NSPersistentStoreCoordinatorWillRemoveStore =
    Notification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
  /// Posted by a coordinator when a store was written, by whomever.
  public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// Keys of the notifications' payloads: sets of managed objects.
public let NSInsertedObjectsKey = "inserted"
public let NSUpdatedObjectsKey = "updated"
public let NSDeletedObjectsKey = "deleted"
public let NSRefreshedObjectsKey = "refreshed"
public let NSInvalidatedObjectsKey = "invalidated"
/// An array of ids.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

/// The same as sets of ids.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

/// Keys of the coordinator's notifications.
public let NSAddedPersistentStoresKey = "added"
public let NSRemovedPersistentStoresKey = "removed"
public let NSUUIDChangedPersistentStoresKey = "changedUUID"
public let NSPersistentStoreURLKey = "storeURL"
public let NSPersistentHistoryTokenKey = "historyToken"

extension NSManagedObjectContext {
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
  public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// The keys of the payloads, as an enumeration.
  public enum NotificationKey: String, Sendable {
    case sourceContext = "managedObjectContext"
    case queryGeneration = "newQueryGeneration"
    case invalidatedAllObjects = "invalidatedAll"
    case insertedObjects = "inserted"
    case updatedObjects = "updated"
    case deletedObjects = "deleted"
    case refreshedObjects = "refreshed"
    case invalidatedObjects = "invalidated"
    case insertedObjectIDs = "inserted_objectIDs"
    case updatedObjectIDs = "updated_objectIDs"
    case deletedObjectIDs = "deleted_objectIDs"
    case refreshedObjectIDs = "refreshed_objectIDs"
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }

  func post(_ name: Notification.Name, _ userInfo: [AnyHashable: Any]? = nil) {
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo)
  }
}
