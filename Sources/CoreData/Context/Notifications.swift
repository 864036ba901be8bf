extension Notification.Name {
  /// Posted on the context's queue when pending changes have been processed; `object` is the context.
  public static let NSManagedObjectContextObjectsDidChange =
    Notification.Name("NSObjectsChangedInManagingContextNotification")
  /// Posted at the beginning of a save, of one without changes as well.
  public static let NSManagedObjectContextWillSave = Notification.Name("NSManagedObjectContextWillSaveNotification")
  /// Posted at the end of a successful save.
  public static let NSManagedObjectContextDidSave = Notification.Name("NSManagingContextDidSaveChangesNotification")
  /// Posted after the notification of a save, with ids for objects: ``NSInsertedObjectIDsKey``,
  /// ``NSUpdatedObjectIDsKey`` and ``NSDeletedObjectIDsKey``.
  public static let NSManagedObjectContextDidSaveObjectIDs =
    Notification.Name("NSManagedObjectContextDidSaveObjectIDsNotification")
  /// Posted when a context has merged changes from elsewhere; `object` is the context. Sets of ids under
  /// ``NSInsertedObjectIDsKey``, ``NSUpdatedObjectIDsKey`` and ``NSDeletedObjectIDsKey``.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs =
    Notification.Name("NSManagedObjectContextDidMergeChangesObjectIDsNotification")
}

/// The new objects: `Set<NSManagedObject>`. It is in a context's notifications. Like the following keys, it is absent
/// if there are no such objects.
public let NSInsertedObjectsKey = "inserted"
/// The objects with changed values or members: `Set<NSManagedObject>`.
public let NSUpdatedObjectsKey = "updated"
/// The objects that were deleted: `Set<NSManagedObject>`.
public let NSDeletedObjectsKey = "deleted"
/// The objects that took new values from the store, in a merge, a refresh or a rollback: `Set<NSManagedObject>`.
public let NSRefreshedObjectsKey = "refreshed"
/// The objects whose values were dropped: `Set<NSManagedObject>`. Never posted here, because a reset posts
/// ``NSInvalidatedAllObjectsKey``. You may use it in a payload to merge.
public let NSInvalidatedObjectsKey = "invalidated"
/// The ids of all objects that a reset has made the context forget: `[NSManagedObjectID]`.
public let NSInvalidatedAllObjectsKey = "invalidatedAll"
/// In a context's did-save notification, if the context is pinned: the ``NSQueryGenerationToken`` that it reads from
/// now on.
public let NSManagedObjectContextQueryGenerationKey = "newQueryGeneration"

/// The ids of new objects: `Set<NSManagedObjectID>`.
public let NSInsertedObjectIDsKey = "inserted_objectIDs"
/// The ids of updated objects: `Set<NSManagedObjectID>`.
public let NSUpdatedObjectIDsKey = "updated_objectIDs"
/// The ids of deleted objects: `Set<NSManagedObjectID>`.
public let NSDeletedObjectIDsKey = "deleted_objectIDs"
/// The ids of refreshed objects: `Set<NSManagedObjectID>`. A merge takes them as updated ones.
public let NSRefreshedObjectIDsKey = "refreshed_objectIDs"
/// The ids of invalidated objects. Never posted here; a merge takes them as updated ones.
public let NSInvalidatedObjectIDsKey = "invalidated_objectIDs"

extension NSManagedObjectContext {
  /// Posted at the beginning of a save, of one without changes as well; `object` is the context. There is no payload.
  public static let willSaveObjectsNotification = Notification.Name.NSManagedObjectContextWillSave
  /// Posted at the end of a successful save, on the context's queue; `object` is the context. Sets of objects under
  /// ``NotificationKey/insertedObjects``, ``NotificationKey/updatedObjects`` and ``NotificationKey/deletedObjects``.
  public static let didSaveObjectsNotification = Notification.Name.NSManagedObjectContextDidSave
  /// Posted when pending changes have been processed, and after a rollback, a merge or a reset, on the context's queue;
  /// `object` is the context. Sets of objects, or ``NotificationKey/invalidatedAllObjects``.
  public static let didChangeObjectsNotification = Notification.Name.NSManagedObjectContextObjectsDidChange
  /// Posted after ``didSaveObjectsNotification``, with ids for objects.
  public static let didSaveObjectIDsNotification = Notification.Name.NSManagedObjectContextDidSaveObjectIDs
  /// Posted when the context has merged changes from elsewhere; sets of ids of inserted, updated and deleted objects.
  public static let didMergeChangesObjectIDsNotification =
    Notification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// The keys of the payloads, as an enumeration.
  public enum NotificationKey: String, Sendable {
    /// The context of a payload. Never posted here: the notification's `object` is the context.
    case sourceContext = "managedObjectContext"
    /// The ``NSQueryGenerationToken`` that a pinned context reads from now on.
    case queryGeneration = "newQueryGeneration"
    /// The ids of all objects that a reset forgot: `[NSManagedObjectID]`.
    case invalidatedAllObjects = "invalidatedAll"
    /// The new objects: `Set<NSManagedObject>`.
    case insertedObjects = "inserted"
    /// The objects with changed values or members: `Set<NSManagedObject>`.
    case updatedObjects = "updated"
    /// The objects that were deleted: `Set<NSManagedObject>`.
    case deletedObjects = "deleted"
    /// The objects that took new values from the store: `Set<NSManagedObject>`.
    case refreshedObjects = "refreshed"
    /// The objects whose values were dropped. Never posted here, but a merge accepts it.
    case invalidatedObjects = "invalidated"
    /// The ids of new objects: `Set<NSManagedObjectID>`.
    case insertedObjectIDs = "inserted_objectIDs"
    /// The ids of updated objects: `Set<NSManagedObjectID>`.
    case updatedObjectIDs = "updated_objectIDs"
    /// The ids of deleted objects: `Set<NSManagedObjectID>`.
    case deletedObjectIDs = "deleted_objectIDs"
    /// The ids of refreshed objects. Never posted here, but a merge accepts it.
    case refreshedObjectIDs = "refreshed_objectIDs"
    /// The ids of invalidated objects. Never posted here, but a merge accepts it.
    case invalidatedObjectIDs = "invalidated_objectIDs"
  }

  /// Posts a notification if there may be an observer; otherwise its payload is not made.
  func post(_ name: Notification.Name, _ userInfo: @autoclosure () -> [AnyHashable: Any]? = nil) {
    guard NotificationObservers.areThere(for: name) else { return }
    NotificationCenter.default.post(name: name, object: self, userInfo: userInfo())
  }
}
