/// The place of a fetch request in a model: a template or a fetched property. Once the model is in use, the request
/// can't be changed.
final class RequestPlace {
  private let model: LivingReference<NSManagedObjectModel>
  private weak var property: NSPropertyDescription?
  /// Whether a fetched property has the request, and no template.
  let isProperty: Bool
  let description: String

  init(template name: String, of model: NSManagedObjectModel) {
    self.model = LivingReference(model)
    isProperty = false
    description = "the template \"\(name)\""
  }

  init(_ property: NSPropertyDescription) {
    model = LivingReference()
    self.property = property
    isProperty = true
    description = "the fetched property \(property.owningEntity?.name ?? "(no entity)").\(property.name)"
  }

  var isFrozen: Bool { model.object?.isFrozen ?? property?.isFrozen ?? false }

  /// Requests of model files become `NSFetchRequest`s when they are first used, which may be on any thread.
  static let lock = NSLock()
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
    let twin = unsafeDowncast(copy() as AnyObject, to: NSFetchRequest<ResultType>.self)
    if let name = twin.entityName { twin.entity = entities[name] ?? twin.entity }
    return twin
  }
}

extension NSFetchRequest {
  /// The request for callers that don't need its result type. Without Objective-C the two types can't be converted.
  final var untyped: NSFetchRequest<any NSFetchRequestResult> {
    unsafeBitCast(self, to: NSFetchRequest<any NSFetchRequestResult>.self)
  }

  /// A copy, of the request's own class.
  final var twin: NSFetchRequest<ResultType> {
    unsafeDowncast(copy() as AnyObject, to: NSFetchRequest<ResultType>.self)
  }
}

extension ModelRequest {
  /// The request as programs see it. A request of a file is made at each call.
  func request(of entities: [String: NSEntityDescription]) -> NSFetchRequest<any NSFetchRequestResult> {
    if let stored = self as? StoredFetchRequest { return stored.request(of: entities) }
    return unsafeBitCast(self as AnyObject, to: NSFetchRequest<any NSFetchRequestResult>.self)
  }
}
