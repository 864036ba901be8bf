extension Notification.Name {
  /// Never posted here: it announces that a store in the user's cloud account is about to change with the account.
  /// Adding and removing stores posts the other two.
  public static let NSPersistentStoreCoordinatorStoresWillChange =
    Notification.Name("NSPersistentStoreCoordinatorStoresWillChangeNotification")
  /// Posted by a coordinator when its stores have changed: arrays of stores under ``NSAddedPersistentStoresKey``,
  /// ``NSRemovedPersistentStoresKey`` and ``NSUUIDChangedPersistentStoresKey``.
  public static let NSPersistentStoreCoordinatorStoresDidChange =
    Notification.Name("NSPersistentStoreCoordinatorStoresDidChangeNotification")
  /// Never posted here: it told of changes that came from the user's cloud account.
  @available(*, deprecated, message: "There is no such store; observe NSPersistentStoreRemoteChange")
  public static let NSPersistentStoreDidImportUbiquitousContentChanges =
    Notification.Name("com.apple.coredata.ubiquity.importer.didfinishimport")
  /// Posted before a coordinator removes a store; `object` is the store, and there is no payload.
  public static let NSPersistentStoreCoordinatorWillRemoveStore =
    Notification.Name("NSPersistentStoreCoordinatorWillRemoveStoreNotification")
  /// Posted by a coordinator when a store was written, by this program or another, on a queue of its own. For stores
  /// that were added with ``NSPersistentStoreRemoteChangeNotificationPostOptionKey``; with ``NSStoreUUIDKey``,
  /// ``NSPersistentStoreURLKey`` and, if the store keeps a history, ``NSPersistentHistoryTokenKey``.
  public static let NSPersistentStoreRemoteChange = Notification.Name("NSPersistentStoreRemoteChangeNotification")
}

/// The added stores: `[NSPersistentStore]`. In a coordinator's notifications, like the following keys.
public let NSAddedPersistentStoresKey = "added"
/// The removed stores: `[NSPersistentStore]`.
public let NSRemovedPersistentStoresKey = "removed"
/// The old store and the one that replaces it, in an array; twice the same one if only its UUID has changed. After a
/// migration a third element is the array of the objects' ids: each old one, followed by the new one.
public let NSUUIDChangedPersistentStoresKey = "changedUUID"
/// The location of the store that was written: `URL`.
public let NSPersistentStoreURLKey = "storeURL"
/// The place in the store's history after the write: ``NSPersistentHistoryToken``. Absent if the store keeps no
/// history.
public let NSPersistentHistoryTokenKey = "historyToken"

/// The place in the stores' history after a save: ``NSPersistentHistoryToken``, in its didSave notification. Absent if
/// no written store keeps a history.
let newChangeTokenKey = "newChangeToken"
