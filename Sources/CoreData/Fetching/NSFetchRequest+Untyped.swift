// Without Objective-C, a request of one result type can't be converted to one of another. All are laid out alike,
// because they refer to their results only by class.

extension NSFetchRequest {
  /// The request for callers that don't need its result type.
  final var untyped: NSFetchRequest<any NSFetchRequestResult> { asFetch }

  /// The request for callers that take any results. From now on it counts as one for any results, and may ask for them
  /// in any form; see ``isForAnyResults``.
  final var forAnyResults: NSFetchRequest<any NSFetchRequestResult> {
    isForAnyResults = true
    return untyped
  }

  /// A copy, of the request's own class.
  final var twin: NSFetchRequest<ResultType> {
    unsafeDowncast(copy() as AnyObject, to: NSFetchRequest<ResultType>.self)
  }

  /// The form of the results. A request for objects of a class, which asks for ids, has the objects for its results.
  ///
  /// Swift takes `ResultType` from the request itself, also where the caller knows it as one for any results. So a
  /// request that is one to all its callers says so itself.
  final var answeredType: NSFetchRequestResultType {
    guard resultType == .managedObjectIDResultType, !isForAnyResults, ResultType.self is NSManagedObject.Type else {
      return resultType
    }
    return .managedObjectResultType
  }

  /// The results in a context. If this is a request for any results to its callers, its class says nothing of them.
  final func results(in context: NSManagedObjectContext) throws -> [ResultType] {
    guard isForAnyResults else { return try context.fetch(self) }
    let found: [any NSFetchRequestResult] = try context.fetch(untyped)
    // One word each, whatever the type of the results.
    return unsafeBitCast(found, to: [ResultType].self)
  }
}

extension NSFetchRequest {
  /// Executes the request for callers that know nothing of the result's type parameter, and cast the result to the type
  /// that they expect. So the result is made for the class of what it holds: `resultType` says which. For objects it is
  /// the entity's class, where the request is one for any objects, or for any results.
  final func complete(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult {
    switch resultType {
    case .countResultType: return try complete(in: context, as: NSNumber.self)
    case .dictionaryResultType: return try complete(in: context, as: NSDictionary.self)
    case .managedObjectIDResultType: return try complete(in: context, as: NSManagedObjectID.self)
    default:
      let isOfClass = ResultType.self != NSManagedObject.self && ResultType.self is NSObject.Type
      guard !isOfClass, let type = objectClass(in: context) else { return try context.complete(self) }
      return try type.complete(untyped, in: context)
    }
  }

  /// Executes the request as one for results of a class.
  fileprivate final func complete<Found: NSFetchRequestResult>(
    in context: NSManagedObjectContext, as type: Found.Type
  ) throws -> NSPersistentStoreAsynchronousResult {
    if ResultType.self == Found.self { return try context.complete(self) }
    let request = NSFetchRequest<Found>(withAllOf: self)
    let result = try context.complete(request)
    if let entity = request.entity { foundEntity(entity) }
    return result
  }

  /// The class of the entity's objects; nil if the context doesn't know the entity.
  private func objectClass(in context: NSManagedObjectContext) -> NSManagedObject.Type? {
    guard let layouts = context.layouts else { return nil }
    let layout = entity.flatMap(layouts.layout(of:)) ?? entityName.flatMap(layouts.layout(named:))
    return layout?.objectClass
  }
}

extension NSManagedObject {
  /// Executes a request for any results as one for objects of this class, which its entity's objects have.
  fileprivate static func complete(
    _ request: NSFetchRequest<any NSFetchRequestResult>, in context: NSManagedObjectContext
  ) throws -> NSPersistentStoreAsynchronousResult {
    func completed<Object: NSManagedObject>(_ type: Object.Type) throws -> NSPersistentStoreAsynchronousResult {
      try request.complete(in: context, as: type)
    }
    // `self` would be taken for the class that this stands in.
    return try completed(Self.self)
  }

  /// A request for objects of this class, so that `Book.fetchRequest() as? NSFetchRequest<Book>` succeeds, also in
  /// generic code.
  static func emptyRequest(entityName name: String? = nil) -> NSFetchRequest<any NSFetchRequestResult> {
    func request<Object: NSManagedObject>(_ type: Object.Type) -> NSFetchRequest<Object> {
      name.map { NSFetchRequest(entityName: $0) } ?? NSFetchRequest()
    }
    // `self` would be taken for the class that this stands in.
    let untyped = request(Self.self).untyped
    untyped.isForAnyResults = true
    return untyped
  }
}

extension NSPersistentStoreRequest {
  /// This request as a fetch request, which it has to be, of whatever result type.
  final var asFetch: NSFetchRequest<any NSFetchRequestResult> {
    unsafeBitCast(self as AnyObject, to: NSFetchRequest<any NSFetchRequestResult>.self)
  }
}
