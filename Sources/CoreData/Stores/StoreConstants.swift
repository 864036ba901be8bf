// The framework's own store types.

/// A SQLite database; the default.
public let NSSQLiteStoreType = "SQLite"
/// An XML document, read and written as a whole.
public let NSXMLStoreType = "XML"
/// A binary file, read and written as a whole.
public let NSBinaryStoreType = "Binary"
/// A store in memory, which ends with its coordinator.
public let NSInMemoryStoreType = "InMemory"

// Options for adding a store. Each constant's value is its name, except that of remote changes.

/// A flag: the store refuses saves, and its files stay unchanged.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
/// A flag: a store of another version of the model is migrated when you add it. Without the flag, adding it throws
/// `NSPersistentStoreIncompatibleVersionHashError`.
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
/// A flag, with ``NSMigratePersistentStoresAutomaticallyOption``: if no mapping model is found, the migration infers
/// one. Without the flag, adding the store throws `NSMigrationMissingMappingModelError`.
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
/// A flag: version hashes are not compared. The store opens if its content fits the model, and gets the model's hashes.
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
/// A dictionary of SQLite pragmas, from names to values, which are set on each connection. Without it the journal is a
/// write-ahead log (`journal_mode` wal) and `synchronous` is NORMAL. With an unknown pragma opening fails.
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
/// A flag: opening the store gathers statistics for SQLite's planner (`ANALYZE`).
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
/// A flag: opening the store returns the file's free pages to the system (`VACUUM`).
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
/// A number, seconds: how long a SQLite store waits for a locked file. Default: 240. After that, opening throws
/// `NSPersistentStoreTimeoutError`, and a save throws `NSSQLiteError`.
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
/// A number: how many connections of a SQLite store read at most, beside the one that writes. Default: 4, at least 1.
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
/// A flag for destroying and replacing a SQLite store: does not wait for locks of others, but replaces the file.
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
/// Accepted without effect: Linux has no such protection of files.
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
/// A flag, or a dictionary: a SQLite store keeps a history of its transactions, for
/// ``NSPersistentHistoryChangeRequest``.
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
/// A flag: the coordinator posts `NSPersistentStoreRemoteChange` for each write to the store, by any program.
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"
/// Accepted without effect: a binary store never looks up a class.
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
/// Accepted without effect: a binary store never looks up a class.
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
/// Accepted without effect: documents are always checked, but never against a DTD.
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
/// An ``NSStagedMigrationManager``: the store is migrated in its stages, unless
/// ``NSMigratePersistentStoresAutomaticallyOption`` is off.
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
/// A flag: the slow part of a migration in place is deferred and done later, by
/// ``NSPersistentStoreCoordinator/finishDeferredLightweightMigration()``. Such a store has the same key in its metadata
/// until the work is done.
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

extension NSPersistentStore {
  /// A store type, for the newer spelling of the coordinator's methods.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The type's name, for the older methods.
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
