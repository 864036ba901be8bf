/// The store types that the framework knows by itself.
public let NSSQLiteStoreType = "SQLite"
public let NSXMLStoreType = "XML"
public let NSBinaryStoreType = "Binary"
public let NSInMemoryStoreType = "InMemory"

/// Keys of a store's metadata.
public let NSStoreTypeKey = "NSStoreType"
public let NSStoreUUIDKey = "NSStoreUUID"
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
public let NSStoreModelVersionHashesVersionKey = "NSStoreModelVersionHashesVersion"
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"

/// Options a store is added with. Each constant's value is its name, but for the one of remote changes.
public let NSReadOnlyPersistentStoreOption = "NSReadOnlyPersistentStoreOption"
public let NSMigratePersistentStoresAutomaticallyOption = "NSMigratePersistentStoresAutomaticallyOption"
public let NSInferMappingModelAutomaticallyOption = "NSInferMappingModelAutomaticallyOption"
public let NSIgnorePersistentStoreVersioningOption = "NSIgnorePersistentStoreVersioningOption"
public let NSSQLitePragmasOption = "NSSQLitePragmasOption"
public let NSSQLiteAnalyzeOption = "NSSQLiteAnalyzeOption"
public let NSSQLiteManualVacuumOption = "NSSQLiteManualVacuumOption"
public let NSPersistentStoreTimeoutOption = "NSPersistentStoreTimeoutOption"
public let NSPersistentStoreConnectionPoolMaxSizeKey = "NSPersistentStoreConnectionPoolMaxSizeKey"
public let NSPersistentStoreForceDestroyOption = "NSPersistentStoreForceDestroyOption"
public let NSPersistentStoreFileProtectionKey = "NSPersistentStoreFileProtectionKey"
public let NSPersistentHistoryTrackingKey = "NSPersistentHistoryTrackingKey"
public let NSPersistentStoreRemoteChangeNotificationPostOptionKey =
  "NSPersistentStoreRemoteChangeNotificationOptionKey"
public let NSBinaryStoreSecureDecodingClasses = "NSBinaryStoreSecureDecodingClasses"
public let NSBinaryStoreInsecureDecodingCompatibilityOption = "NSBinaryStoreInsecureDecodingCompatibilityOption"
public let NSValidateXMLStoreOption = "NSValidateXMLStoreOption"
public let NSPersistentStoreStagedMigrationManagerOptionKey = "NSPersistentStoreStagedMigrationManagerOptionKey"
public let NSPersistentStoreDeferredLightweightMigrationOptionKey =
  "NSPersistentStoreDeferredLightweightMigrationOptionKey"

extension NSPersistentStore {
  /// A store type, as the newer spelling of the coordinator's methods takes it.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    public static let xml = StoreType(rawValue: NSXMLStoreType)
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
  }
}
