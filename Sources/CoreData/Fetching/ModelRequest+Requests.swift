import Foundation

// The two kinds of requests that models have: those of model files, and those of programs.

extension ModelRequest {
  /// The request as programs see it. A request of a file is made at each call.
  func request(of entities: [String: NSEntityDescription]) -> NSFetchRequest<any NSFetchRequestResult> {
    if let stored = self as? StoredFetchRequest { return stored.request(of: entities) }
    return unsafeDowncast(self as AnyObject, to: NSPersistentStoreRequest.self).asFetch
  }
}

extension StoredFetchRequest: ModelRequest {
  var definition: String { request(of: [:]).definition }

  /// The request names its entity, and never changes.
  func copy(of entities: [String: NSEntityDescription]) -> any ModelRequest { self }

  /// The request as programs see it: one for objects is made for their class, so that it can be cast to that.
  func request(of entities: [String: NSEntityDescription]) -> NSFetchRequest<any NSFetchRequestResult> {
    let entity = entities[entityName]
    let isForObjects = NSFetchRequestResultType(rawValue: UInt(resultType)) == .managedObjectResultType
    let request =
      isForObjects
      ? Self.objectClass(of: entity).emptyRequest(entityName: entityName) : NSFetchRequest(entityName: entityName)
    request.entity = entity
    request.predicate = predicate.map(NSPredicate.make)
    request.fetchLimit = fetchLimit
    request.fetchOffset = fetchOffset
    request.fetchBatchSize = fetchBatchSize
    request.resultType = NSFetchRequestResultType(rawValue: UInt(resultType))
    request.includesSubentities = includesSubentities
    request.includesPropertyValues = includesPropertyValues
    request.includesPendingChanges = includesPendingChanges
    request.returnsObjectsAsFaults = returnsObjectsAsFaults
    request.returnsDistinctResults = returnsDistinctResults
    return request
  }
}

extension StoredFetchRequest {
  private static func objectClass(of entity: NSEntityDescription?) -> NSManagedObject.Type {
    guard let entity, let name = entity.managedObjectClassName else { return NSManagedObject.self }
    return entity.unnamedObjectClass as? NSManagedObject.Type
      ?? EntityClasses.findClass(name, entity: entity.name ?? "", isExpected: false)
  }
}

extension NSFetchRequest: ModelRequest {
  var definition: String {
    func list(_ values: [Any]?) -> String {
      values.map { "\($0.map { ($0 as? NSPropertyDescription)?.name ?? "\($0)" })" } ?? "nil"
    }
    // A description leaves out what makes two predicates differ.
    let condition = predicate.map { (try? $0.node).map(PredicatePrinter.print) ?? $0.quietFormat }
    let parts = [
      entityName ?? "nil", condition ?? "nil", list(sortDescriptors), "\(fetchLimit)",
      "\(fetchOffset)", "\(fetchBatchSize)", "\(resultType.rawValue)", "\(includesSubentities)",
      "\(includesPropertyValues)", "\(includesPendingChanges)", "\(returnsObjectsAsFaults)",
      "\(returnsDistinctResults)", list(propertiesToFetch), list(propertiesToGroupBy),
      havingPredicate?.quietFormat ?? "nil", list(relationshipKeyPathsForPrefetching),
      "\(shouldRefreshRefetchedObjects)",
    ]
    return parts.joined(separator: "; ")
  }

  func copy(of entities: [String: NSEntityDescription]) -> any ModelRequest {
    let twin = twin
    if let name = twin.entityName { twin.entity = entities[name] ?? twin.entity }
    return twin
  }
}
