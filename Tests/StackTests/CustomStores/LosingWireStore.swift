import CoreData
import Foundation

/// A wire store without this project's additions to the contract of custom stores: the framework compares before the
/// save, each object is asked for alone, and the server overwrites whatever it has.
class LosingWireStore: WireStore {
  override class var storeType: String { "LosingWire" }

  override var comparesBaseVersions: Bool { false }

  override func base(of object: NSManagedObject, in request: NSSaveChangesRequest) -> Any { NSNull() }

  override func save(_ request: NSSaveChangesRequest, _ context: NSManagedObjectContext) throws -> [Any] {
    _ = try super.save(request, context)
    return []
  }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    let result = try super.execute(request, with: context)
    guard let nodes = result as? [NSIncrementalStoreNode], let context else { return result }
    return nodes.map { context.object(with: $0.objectID) }
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard let node = try super.newValuesForObjects(with: [objectID], with: context)?.first else {
      throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError)
    }
    return node
  }

  override func newValuesForObjects(
    with objectIDs: [NSManagedObjectID], with context: NSManagedObjectContext
  ) throws -> [NSIncrementalStoreNode]? { nil }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    try super.newValues(forRelationship: relationship, forObjectsWith: [objectID], with: context)?[objectID] ?? []
  }

  override func newValues(
    forRelationship relationship: NSRelationshipDescription, forObjectsWith objectIDs: [NSManagedObjectID],
    with context: NSManagedObjectContext?
  ) throws -> [NSManagedObjectID: Any]? { nil }
}
