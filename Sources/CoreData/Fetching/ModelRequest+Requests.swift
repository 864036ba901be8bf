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

  /// The request as programs see it.
  func request(of entities: [String: NSEntityDescription]) -> NSFetchRequest<any NSFetchRequestResult> {
    let request = NSFetchRequest<any NSFetchRequestResult>(entityName: entityName)
    request.entity = entities[entityName]
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
