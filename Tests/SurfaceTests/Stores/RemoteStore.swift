import CoreData
import Foundation

/// A web service's store as articles write it: it fetches, faults and saves through a client.
final class RemoteStore: NSIncrementalStore {
  class var storeType: String { return String(describing: RemoteStore.self) }

  /// Stands for the service: the records of each entity by their identifiers.
  static var service: [String: [Int: [String: Any]]] = [:]

  override func loadMetadata() throws {
    self.metadata = [NSStoreUUIDKey: "7D9F6E2A-REMOTE", NSStoreTypeKey: RemoteStore.storeType]
  }

  override class func identifierForNewStore(at storeURL: URL) -> Any { return "7D9F6E2A-REMOTE" }

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    if request.requestType == .saveRequestType, let saveRequest = request as? NSSaveChangesRequest {
      return try executeSave(saveRequest)
    }
    guard request.requestType == .fetchRequestType,
      let fetchRequest = request as? NSFetchRequest<NSFetchRequestResult>, let context = context
    else {
      throw NSError(domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError, userInfo: nil)
    }
    let name = fetchRequest.entityName!
    let entity = NSEntityDescription.entity(forEntityName: name, in: context)!
    let identifiers = (RemoteStore.service[name] ?? [:]).filter { _, values in
      fetchRequest.predicate?.evaluate(with: values) ?? true
    }.keys.sorted()
    switch fetchRequest.resultType {
    case .managedObjectResultType:
      return identifiers.map { context.object(with: newObjectID(for: entity, referenceObject: NSNumber(value: $0))) }
    case .managedObjectIDResultType:
      return identifiers.map { self.newObjectID(for: entity, referenceObject: $0) }
    case .countResultType:
      return [NSNumber(value: identifiers.count)]
    default:
      return identifiers.map { RemoteStore.service[name]![$0]! as NSDictionary }
    }
  }

  private func executeSave(_ request: NSSaveChangesRequest) throws -> [Any] {
    if let objects = request.insertedObjects { objects.forEach(upload) }
    if let objects = request.updatedObjects { objects.forEach(upload) }
    request.deletedObjects?.forEach { object in
      RemoteStore.service[object.entity.name!]?.removeValue(forKey: identifier(object.objectID))
    }
    return []
  }

  private func upload(_ object: NSManagedObject) {
    var values = object.dictionaryWithValues(forKeys: Array(object.entity.attributesByName.keys))
    for (name, relationship) in object.entity.relationshipsByName where !relationship.isToMany {
      values[name] = (object.value(forKey: name) as? NSManagedObject).map { identifier($0.objectID) } ?? NSNull()
    }
    RemoteStore.service[object.entity.name!, default: [:]][identifier(object.objectID)] = values
  }

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    guard var values = RemoteStore.service[objectID.entity.name!]?[identifier(objectID)] else {
      throw NSError(domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError, userInfo: nil)
    }
    for (name, relationship) in objectID.entity.relationshipsByName where !relationship.isToMany {
      if let other = values[name] as? Int {
        values[name] = newObjectID(for: relationship.destinationEntity!, referenceObject: other)
      }
    }
    // The version never changes, as in many public stores.
    return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: 1)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    guard relationship.isToMany, let inverse = relationship.inverseRelationship else { return NSNull() }
    let destination = relationship.destinationEntity!
    let members = (RemoteStore.service[destination.name!] ?? [:]).filter {
      ($0.value[inverse.name] as? Int) == identifier(objectID)
    }
    return members.keys.sorted().map { newObjectID(for: destination, referenceObject: $0) }
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    return array.map { object in
      let used = RemoteStore.service[object.entity.name!]?.keys.max() ?? 0
      RemoteStore.service[object.entity.name!, default: [:]][used + 1] = [:]
      return newObjectID(for: object.entity, referenceObject: NSNumber(value: used + 1))
    }
  }

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
    super.managedObjectContextDidRegisterObjects(with: objectIDs)
  }

  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
    super.managedObjectContextDidUnregisterObjects(with: objectIDs)
  }

  private func identifier(_ objectID: NSManagedObjectID) -> Int {
    return (referenceObject(for: objectID) as! NSNumber).intValue
  }
}
