/// What the result of a batch delete contains. Also known by its Objective-C name.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// Whether it succeeded: `true`.
  case resultTypeStatusOnly = 0
  /// The ids of the objects that the request chose.
  case resultTypeObjectIDs = 1
  /// The number of these objects.
  case resultTypeCount = 2
}

/// Deletes rows in a SQLite store without making objects of them.
///
///     let short = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
///     short.predicate = NSPredicate(format: "pages < %d", 300)
///     let request = NSBatchDeleteRequest(fetchRequest: short)
///     request.resultType = .resultTypeCount
///     let result = try context.execute(request) as? NSBatchDeleteResult
///     print(result?.result ?? 0)  // 2
///
/// The store applies the model's cascade and nullify rules. Nothing is validated, and deny rules have no effect.
/// Contexts don't notice; give them the ids with `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
nonisolated open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// The request for the objects to delete, as ids: a copy of the one that this was made of.
  public let fetchRequest: NSFetchRequest<NSFetchRequestResult>
  /// What ``NSBatchDeleteResult/result`` is. Default: `resultTypeStatusOnly`.
  open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly
  /// The ids that the request was made of, if it was.
  let objectIDs: [NSManagedObjectID]?

  /// Deletes the objects that a fetch would find in the stores. What you change in the fetch request later has no
  /// effect.
  public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
    fetchRequest = NSFetchRequest(withAllOf: fetch)
    fetchRequest.resultType = .managedObjectIDResultType
    objectIDs = nil
    super.init()
  }

  /// Deletes the objects that a fetch would find, for a request with a result type. Without Objective-C the two types
  /// can't be converted.
  public init<Result>(fetchRequest fetch: NSFetchRequest<Result>) {
    fetchRequest = NSFetchRequest(withAllOf: fetch)
    fetchRequest.resultType = .managedObjectIDResultType
    objectIDs = nil
    super.init()
  }

  /// Deletes objects by their ids, all of one entity hierarchy.
  public init(objectIDs objects: [NSManagedObjectID]) {
    fetchRequest = NSFetchRequest()
    fetchRequest.entity = objects.first?.entity
    fetchRequest.predicate = NSPredicate(format: "SELF IN %@", objects)
    fetchRequest.resultType = .managedObjectIDResultType
    objectIDs = objects
    super.init()
  }

  private init(copying other: NSBatchDeleteRequest) {
    fetchRequest = other.fetchRequest.copy() as! NSFetchRequest<NSFetchRequestResult>
    objectIDs = other.objectIDs
    resultType = other.resultType
    super.init()
    affectedStores = other.affectedStores
  }

  /// `batchDeleteRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .batchDeleteRequestType }

  /// A copy with a copy of the fetch request.
  open override func copy(with zone: NSZone? = nil) -> Any { NSBatchDeleteRequest(copying: self) }
}
