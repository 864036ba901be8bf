// The store types that the framework knows by itself.

/// A SQLite database; the default.
public let NSSQLiteStoreType = "SQLite"
/// An XML document, read and written as a whole.
public let NSXMLStoreType = "XML"
/// A binary file, read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// In memory only, gone with its coordinator.
public let NSInMemoryStoreType = "InMemory"

// Options a store is added with. Each constant's value is its name, but for the one of remote changes.

/// A flag: saves to the store are refused, and its files stay as they are.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// A flag: a store of another version of the model is migrated when it is added. Without it adding throws
/// `NSPersistentStoreIncompatibleVersionHashError`.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// A flag, with ``NSMigratePersistentStoresAutomaticallyOption``: without a mapping model the migration works out what
/// becomes of what. Where it is off, adding throws `NSMigrationMissingMappingModelError`.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// A flag: version hashes are not compared; the store opens if its contents fit, and states the model's hashes from
/// then on.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// A dictionary from names to values of SQLite pragmas, run on each connection. Without it the journal is a write-ahead
/// log (`journal_mode` wal) and `synchronous` is NORMAL. Unknown ones fail the opening.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// A flag: statistics for SQLite's planner are gathered when the store is opened (`ANALYZE`).
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// A flag: free pages of the file are given back when the store is opened (`VACUUM`).
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// A number, seconds: how long a SQLite store waits for a locked file. Default: 240. Then opening throws
/// `NSPersistentStoreTimeoutError`, and a save `NSSQLiteError`.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// A number: how many connections of a SQLite store read at most, beside the one that writes. Default: 4, at least 1.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// A flag for destroying and replacing a SQLite store: locks of others are not waited for, another file takes the
/// place.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Taken and without effect: Linux has no such protection of files.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// A flag, or a dictionary: a SQLite store keeps a history of its transactions, for
/// ``NSPersistentHistoryChangeRequest``.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// A flag: the coordinator posts `NSPersistentStoreRemoteChange` for each write to the store, by whomever.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Taken and without effect: a binary store never looks up a class.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Taken and without effect: a binary store never looks up a class.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Taken and without effect: documents are always checked, never against a DTD.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// An ``NSStagedMigrationManager``: asks for a migration in its stages, unless
/// ``NSMigratePersistentStoresAutomaticallyOption`` is off.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// A flag: what a migration in place takes long for is put aside and finished later, by
/// ``NSPersistentStoreCoordinator/finishDeferredLightweightMigration()``. In the metadata of a store that has such work
/// left.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

extension NSPersistentStore {
  /// A store type, as the newer spelling of the coordinator's methods takes it.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The type's name, as the older methods take it.
    public let rawValue: String
    /// A type from its name, such as one under which a class was registered.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SQLite database: ``NSSQLiteStoreType``.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// An XML document: ``NSXMLStoreType``.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
    /// A binary file: ``NSBinaryStoreType``.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// In memory only: ``NSInMemoryStoreType``.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
  }
}
