import CoreData
import Foundation
import Synchronization

/// An atomic store in a property list: entities' names to their objects' values, by reference.
class ReplacingStore: NSAtomicStore {
  class var storeType: String { "ReplacingList" }

  private var lastReference = 0

  override var type: String { Self.storeType }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    guard let file = try read(url) else { throw CocoaError(.fileReadNoSuchFile) }
    return file["metadata"] as? [String: Any] ?? [:]
  }

  private static func read(_ url: URL) throws -> [String: Any]? {
    guard let data = try? Data(contentsOf: url), !data.isEmpty else { return nil }
    return try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
  }

  override func load() throws {
    guard let file = try Self.read(url!) else { return }
    metadata = file["metadata"] as? [String: Any]
    var nodes: Set<NSAtomicStoreCacheNode> = []
    for (name, rows) in file["rows"] as? [String: [String: [String: Any]]] ?? [:] {
      guard let entity = persistentStoreCoordinator!.managedObjectModel.entitiesByName[name] else { continue }
      for (reference, values) in rows {
        let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: reference))
        for (key, value) in values { node.setValue(value, forKey: key) }
        nodes.insert(node)
        lastReference = max(lastReference, Int(reference) ?? 0)
      }
    }
    addCacheNodes(nodes)
  }

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any {
    lastReference += 1
    return "\(lastReference)"
  }

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    NSAtomicStoreCacheNode(objectID: managedObject.objectID)
  }

  override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
    for key in managedObject.entity.attributesByName.keys {
      node.setValue(managedObject.value(forKey: key), forKey: key)
    }
  }

  override func save() throws {
    var rows: [String: [String: [String: Any]]] = [:]
    for node in cacheNodes() {
      let entity = node.objectID.entity
      var values: [String: Any] = [:]
      for key in entity.attributesByName.keys { values[key] = node.value(forKey: key) }
      rows[entity.name!, default: [:]][referenceObject(for: node.objectID) as! String] = values
    }
    let file: [String: Any] = ["metadata": metadata!, "rows": rows]
    try PropertyListSerialization.data(fromPropertyList: file, format: .binary, options: 0)
      .write(to: url!, options: .atomic)
  }
}

/// One that has its stores migrated by a manager of its own.
final class ReplacingStoreWithManager: ReplacingStore {
  override class var storeType: String { "ReplacingListWithManager" }

  override class func migrationManagerClass() -> AnyClass { ReplacingManager.self }
}

final class ReplacingManager: NSMigrationManager {
  /// How many migrations there were of each store.
  static let migrations = Mutex<[URL: Int]>([:])

  /// Set by the class's own initializer, which the migration has to call.
  private let step: Int

  override init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    step = 1
    super.init(sourceModel: sourceModel, destinationModel: destinationModel)
  }

  override func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    ReplacingManager.migrations.withLock { $0[sourceURL.standardizedFileURL, default: 0] += step }
    try super.migrateStore(
      from: sourceURL, sourceType: sStoreType, options: sOptions, with: mappings, toDestinationURL: dURL,
      destinationType: dStoreType, destinationOptions: dOptions)
  }
}

/// One that does not say what a file is before it is opened.
final class ReplacingStoreWithoutMetadata: ReplacingStore {
  override class var storeType: String { "ReplacingListWithoutMetadata" }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    throw CocoaError(.featureUnsupported)
  }
}

/// One that opens only for those who have its key.
final class ReplacingStoreWithKey: ReplacingStore {
  override class var storeType: String { "ReplacingListWithKey" }

  override func load() throws {
    guard options?["key"] as? String == "secret" else { throw CocoaError(.fileReadNoPermission) }
    try super.load()
  }
}
