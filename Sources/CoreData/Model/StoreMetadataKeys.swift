// The keys of a store's metadata.

/// In metadata: the store's type, `String`.
public let NSStoreTypeKey = "NSStoreType"
/// In metadata and remote changes: the store's UUID, `String`.
public let NSStoreUUIDKey = "NSStoreUUID"
/// In metadata: 32 bytes for each entity of the model, `[String: Data]` by entity names.
public let NSStoreModelVersionHashesKey = "NSStoreModelVersionHashes"
/// In metadata: the model's version identifiers, `[String]`.
public let NSStoreModelVersionIdentifiersKey = "NSStoreModelVersionIdentifiers"
/// In metadata: how the hashes are computed, `Int`; 3 in stores that this module makes.
public let NSStoreModelVersionHashesVersionKey = "NSStoreModelVersionHashesVersion"
/// In metadata: the checksum of the model's hashes, `String`, as ``NSManagedObjectModel/versionChecksum``.
public let NSPersistentStoreModelVersionChecksumKey = "NSStoreModelVersionChecksumKey"
/// In metadata of Apple's stores: which systems can read them. Never set here.
public let NSPersistentStoreOSCompatibility = "NSPersistentStoreOSCompatibility"
