import CoreData
import Foundation

/// A property list as an atomic store; it leaves relationships out, as many do.
final class PlistStore: NSAtomicStore {
  static let type = "PlistStore"

  private var identifierOfStore = UUID().uuidString
  private var versions: [String: Any] = [:]

  override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
    if let stored = try? PlistStore.metadataForPersistentStore(with: url) { metadata = stored }
  }

  override var type: String { return PlistStore.type }

  override var identifier: String! {
    get { return identifierOfStore }
    set { identifierOfStore = newValue }
  }

  override var metadata: [String: Any]! {
    get { return [NSStoreTypeKey: type, NSStoreUUIDKey: identifier!].merging(versions) { $1 } }
    set {
      versions = newValue
      if let uuid = newValue[NSStoreUUIDKey] as? String { identifierOfStore = uuid }
    }
  }

  override class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), options: [], format: nil)
    return (list as? [String: Any])?["metadata"] as? [String: Any] ?? [:]
  }

  override class func setMetadata(_ metadata: [String: Any]?, forPersistentStoreAt url: URL) throws {
    throw NSError(domain: NSCocoaErrorDomain, code: NSPersistentStoreOperationError, userInfo: nil)
  }

  override func load() throws {
    guard let url = url, FileManager.default.fileExists(atPath: url.path) else { return }
    let list = try PropertyListSerialization.propertyList(from: Data(contentsOf: url), options: [], format: nil)
    let objects = (list as? [String: Any])?["objects"] as? [[String: Any]] ?? []
    let model = persistentStoreCoordinator!.managedObjectModel
    var nodes = Set<NSAtomicStoreCacheNode>()
    for object in objects {
      let entity = model.entitiesByName[object["entity"] as! String]!
      let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: object["id"]!))
      node.propertyCache = NSMutableDictionary(dictionary: object["values"] as! [String: Any])
      nodes.insert(node)
    }
    addCacheNodes(nodes)
  }

  override func save() throws {
    let objects = cacheNodes().map { node -> [String: Any] in
      [
        "entity": node.objectID.entity.name!, "id": referenceObject(for: node.objectID),
        "values": node.propertyCache ?? NSMutableDictionary(),
      ]
    }
    let list: [String: Any] = ["metadata": metadata!, "objects": objects]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    try data.write(to: url!, options: .atomic)
  }

  override func newReferenceObject(for managedObject: NSManagedObject) -> Any { return UUID().uuidString }

  override func newCacheNode(for managedObject: NSManagedObject) -> NSAtomicStoreCacheNode {
    let node = NSAtomicStoreCacheNode(objectID: managedObject.objectID)
    updateCacheNode(node, from: managedObject)
    return node
  }

  override func updateCacheNode(_ node: NSAtomicStoreCacheNode, from managedObject: NSManagedObject) {
    for (name, attribute) in managedObject.entity.attributesByName where attribute.attributeType == .stringAttributeType
    {
      node.setValue(managedObject.value(forKey: name), forKey: name)
    }
  }

  override func willRemoveCacheNodes(_ cacheNodes: Set<NSAtomicStoreCacheNode>) {
    super.willRemoveCacheNodes(cacheNodes)
  }
}
