/// Store types by name.
extension NSPersistentStoreCoordinator {
  private static let registryLock = NSLock()
  private nonisolated(unsafe) static var registry: [String: NSPersistentStore.Type] = [
    NSSQLiteStoreType: SQLiteStore.self,
    NSInMemoryStoreType: InMemoryStore.self,
    NSXMLStoreType: XMLStore.self,
    NSBinaryStoreType: BinaryStore.self,
  ]

  /// The store classes by type.
  public class var registeredStoreTypes: [String: AnyClass] { registryLock.withLock { registry } }

  /// Registers a store class for a type; nil removes it.
  public class func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
    registryLock.withLock { registry[storeType] = storeClass as? NSPersistentStore.Type }
  }

  /// ``registerStoreClass(_:forStoreType:)`` in the newer spelling.
  public class func registerStoreClass(_ storeClass: AnyClass?, type: NSPersistentStore.StoreType) {
    registerStoreClass(storeClass, forStoreType: type.rawValue)
  }

  static func storeClass(for type: String) throws -> NSPersistentStore.Type {
    let (found, known) = registryLock.withLock { (registry[type], registry.keys.sorted()) }
    if let found { return found }
    throw Failure.unknownStoreType(type: type, registered: known).nsError
  }

  static func urlWithoutFile(for type: String) throws -> URL {
    if type == NSInMemoryStoreType { return .storeInMemory }
    // An incremental store may read something other than a file.
    if try storeClass(for: type) is NSIncrementalStore.Type { return .storeInMemory }
    throw Failure.storeWithoutURL(type: type).nsError
  }

  /// The metadata of a store. The store need not be open, and you need no model.
  @discardableResult
  public class func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try publicErrors { try storeClass(for: storeType).metadataForPersistentStore(with: url) }
  }

  /// ``metadataForPersistentStore(ofType:at:options:)`` in the newer spelling.
  public class func metadataForPersistentStore(
    type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: type.rawValue, at: url, options: options)
  }

  /// Replaces the metadata of a store that is not open.
  public class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try publicErrors { try storeClass(for: storeType).setMetadata(metadata, forPersistentStoreAt: url) }
  }

  /// ``setMetadata(_:forPersistentStoreOfType:at:options:)`` in the newer spelling.
  public class func setMetadata(
    _ metadata: [String: Any]?, type: NSPersistentStore.StoreType, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(metadata, forPersistentStoreOfType: type.rawValue, at: url, options: options)
  }
}
