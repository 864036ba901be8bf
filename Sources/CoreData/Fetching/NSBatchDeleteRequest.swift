/// What the result of a batch delete says. Also known by its Objective-C name.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// That it was done.
  case resultTypeStatusOnly = 0
  /// The ids of the objects that the request chose.
  case resultTypeObjectIDs = 1
  /// How many they are.
  case resultTypeCount = 2
}

/// Deletes rows in a SQLite store without making objects of them.
///
///     let old = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
///     old.predicate = NSPredicate(format: "pages == %d", 0)
///     try context.execute(NSBatchDeleteRequest(fetchRequest: old))
///
/// Cascade and nullify rules of the model are applied, by the store. Nothing is validated, a deny rule refuses
/// nothing, contexts are not told: give them the ids with
/// `NSManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)`.
nonisolated open class NSBatchDeleteRequest: NSPersistentStoreRequest {
  /// What is deleted.
  public let fetchRequest: NSFetchRequest<NSFetchRequestResult>
  /// What ``NSBatchDeleteResult/result`` is. Default: `resultTypeStatusOnly`.
  open var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly
  /// Where the request was made of ids.
  let objectIDs: [NSManagedObjectID]?

  /// Deletes what a fetch would find in the stores. The fetch request then asks for ids.
  public init(fetchRequest fetch: NSFetchRequest<NSFetchRequestResult>) {
    fetch.resultType = .managedObjectIDResultType
    fetchRequest = fetch
    objectIDs = nil
    super.init()
  }

  /// The same for a request whose result has a type: without Objective-C the one is not the other.
  public init<Result>(fetchRequest fetch: NSFetchRequest<Result>) {
    fetch.resultType = .managedObjectIDResultType
    fetchRequest = NSFetchRequest()
    fetchRequest.takeAll(from: fetch)
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
