import CoreData
import Foundation

/// An incremental store over a `DictionaryServer`: an example of what such a store has to do.
///
///     NSPersistentStoreCoordinator.registerStoreClass(DictionaryStore.self, forStoreType: DictionaryStore.storeType)
///     try coordinator.addPersistentStore(
///       ofType: DictionaryStore.storeType, configurationName: nil, at: address, options: nil)
///
/// References are strings, such as "Book no. 7". The server's versions are the nodes', so a save notices what another
/// coordinator has saved in the meantime.
class DictionaryStore: NSIncrementalStore {
  static let storeType = "Dictionary"

  private var server: DictionaryServer { DictionaryServer.at(url!) }

  /// Predicates are evaluated on objects of such a context, which has no unsaved changes. A store that can do it would
  /// translate them into its server's language instead.
  private func newEvaluation() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    context.name = "evaluation"
    // Another coordinator may have written to the server: what was read before may be old.
    context.stalenessInterval = 0
    return context
  }

  /// Tests ask what clients' contexts have made the store do.
  private func note(_ method: String, _ what: String, _ context: NSManagedObjectContext?) throws {
    if context?.name != "evaluation" { try server.note(method, what) }
  }

  override var type: String { DictionaryStore.storeType }

  override func loadMetadata() throws {
    try server.note("loadMetadata")
    metadata = [NSStoreTypeKey: type, NSStoreUUIDKey: server.uuid]
  }

  // Requests.

  override func execute(_ request: NSPersistentStoreRequest, with context: NSManagedObjectContext?) throws -> Any {
    switch request.requestType {
    case .fetchRequestType:
      return try found(by: request as! NSFetchRequest<NSFetchRequestResult>, in: context!)
    case .saveRequestType:
      try save(request as! NSSaveChangesRequest)
      return []
    default:
      throw NSError(
        domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError,
        userInfo: [NSLocalizedDescriptionKey: "A dictionary can only be searched and saved."])
    }
  }

  private func found(by request: NSFetchRequest<NSFetchRequestResult>, in context: NSManagedObjectContext) throws -> Any
  {
    let entity = request.entity!
    try server.note("fetch", entity.name!)
    var ids = server.records.compactMap { reference, record -> NSManagedObjectID? in
      guard let own = entity.managedObjectModel.entitiesByName[record.entity], own.isKindOf(entity: entity),
        own == entity || request.includesSubentities
      else { return nil }
      return newObjectID(for: own, referenceObject: reference)
    }.sorted { number($0) < number($1) }
    let evaluation = newEvaluation()
    try evaluation.performAndWait {
      var objects = try ids.compactMap { try? evaluation.existingObject(with: $0) }
      if let predicate = request.predicate { objects = objects.filter { predicate.evaluate(with: $0) } }
      if let order = request.sortDescriptors, !order.isEmpty {
        objects.sort { a, b in
          order.lazy.map { $0.compare(a, to: b) }.first { $0 != .orderedSame } == .orderedAscending
        }
      }
      ids = objects.map(\.objectID)
    }
    ids = Array(ids.dropFirst(request.fetchOffset))
    if request.fetchLimit > 0 { ids = Array(ids.prefix(request.fetchLimit)) }
    switch request.resultType {
    case .countResultType: return [NSNumber(value: ids.count)]
    case .managedObjectIDResultType: return ids
    case .dictionaryResultType: return try dictionaries(of: ids, request)
    default: return ids.map { context.object(with: $0) }
    }
  }

  /// Columns only: neither functions nor groups.
  private func dictionaries(of ids: [NSManagedObjectID], _ request: NSFetchRequest<NSFetchRequestResult>) throws
    -> [Any]
  {
    let names = try request.propertiesToFetch?.map { property in
      guard let name = property as? String ?? (property as? NSAttributeDescription)?.name else {
        throw NSError(
          domain: NSCocoaErrorDomain, code: NSPersistentStoreUnsupportedRequestTypeError,
          userInfo: [NSLocalizedDescriptionKey: "A dictionary can't compute \(property)."])
      }
      return name
    }
    return ids.map { id in
      let values = server.record(reference(id))?.values ?? [:]
      return values.filter { names?.contains($0.key) ?? true } as NSDictionary
    }
  }

  // Saving.

  private func save(_ request: NSSaveChangesRequest) throws {
    let changed = (request.insertedObjects ?? []).union(request.updatedObjects ?? [])
    let deleted = request.deletedObjects ?? []
    try server.note(
      "save", "\(request.insertedObjects?.count ?? 0) \(request.updatedObjects?.count ?? 0) \(deleted.count)")
    var records: [String: DictionaryServer.Record] = [:]
    for object in changed { records[reference(object.objectID)] = record(of: object) }
    server.write(records, deleting: deleted.map { reference($0.objectID) })
  }

  private func record(of object: NSManagedObject) -> DictionaryServer.Record {
    var record = DictionaryServer.Record(entity: object.entity.name!)
    for (name, attribute) in object.entity.attributesByName where !attribute.isTransient {
      record.values[name] = object.value(forKey: name)
    }
    for (name, relationship) in object.entity.relationshipsByName where !relationship.isTransient {
      let value = object.value(forKey: name)
      if !relationship.isToMany {
        record.values[name] = (value as? NSManagedObject).map { reference($0.objectID) }
      } else {
        let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
        record.members[name] = members.map { reference(($0 as! NSManagedObject).objectID) }
      }
    }
    return record
  }

  // Values.

  override func newValuesForObject(
    with objectID: NSManagedObjectID, with context: NSManagedObjectContext
  ) throws -> NSIncrementalStoreNode {
    try note("values", reference(objectID), context)
    guard let record = server.record(reference(objectID)) else {
      throw NSError(
        domain: NSCocoaErrorDomain, code: NSManagedObjectReferentialIntegrityError,
        userInfo: [NSLocalizedDescriptionKey: "The server has no \(reference(objectID))."])
    }
    var values = record.values
    for (name, relationship) in objectID.entity.relationshipsByName where !relationship.isToMany {
      values[name] = (values[name] as? String).map { id($0, relationship) } ?? NSNull()
    }
    return NSIncrementalStoreNode(objectID: objectID, withValues: values, version: record.version)
  }

  override func newValue(
    forRelationship relationship: NSRelationshipDescription, forObjectWith objectID: NSManagedObjectID,
    with context: NSManagedObjectContext?
  ) throws -> Any {
    let owner = reference(objectID)
    try note("members", "\(owner) \(relationship.name)", context)
    let records = server.records
    let listed = records[owner]?.members[relationship.name] ?? []
    guard let inverse = relationship.inverseRelationship, !inverse.isToMany else {
      return listed.filter { records[$0] != nil }.map { id($0, relationship) }
    }
    // The many side knows best; the list says in which order.
    let destination = relationship.destinationEntity!
    var members = records.filter { _, record in
      record.values[inverse.name] as? String == owner
        && destination.managedObjectModel.entitiesByName[record.entity]?.isKindOf(entity: destination) == true
    }
    let ordered = listed.filter { members.removeValue(forKey: $0) != nil }
    return (ordered + members.keys.sorted()).map { id($0, relationship) }
  }

  override func obtainPermanentIDs(for array: [NSManagedObject]) throws -> [NSManagedObjectID] {
    try server.note("obtainPermanentIDs", "\(array.count)")
    return array.map { newObjectID(for: $0.entity, referenceObject: server.newReference(for: $0.entity.name!)) }
  }

  // Use counts.

  override func managedObjectContextDidRegisterObjects(with objectIDs: [NSManagedObjectID]) {
    server.count(objectIDs, by: 1)
  }

  override func managedObjectContextDidUnregisterObjects(with objectIDs: [NSManagedObjectID]) {
    server.count(objectIDs, by: -1)
  }

  // References.

  private func reference(_ id: NSManagedObjectID) -> String { referenceObject(for: id) as! String }

  private func number(_ id: NSManagedObjectID) -> Int {
    Int(reference(id).split(separator: " ").last ?? "") ?? 0
  }

  /// The id of what a relationship leads to, which may be of a subentity.
  private func id(_ reference: String, _ relationship: NSRelationshipDescription) -> NSManagedObjectID {
    let declared = relationship.destinationEntity!
    let actual = server.record(reference).flatMap { declared.managedObjectModel.entitiesByName[$0.entity] }
    return newObjectID(for: actual ?? declared, referenceObject: reference)
  }
}
