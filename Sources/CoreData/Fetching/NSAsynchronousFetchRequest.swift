/// The block of an ``NSAsynchronousFetchRequest`` without its type of objects.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock =
  (NSAsynchronousFetchResult<any NSFetchRequestResult>) -> Void

/// A fetch that does not block its context: the stores are read on another thread.
///
///     let request = NSAsynchronousFetchRequest(fetchRequest: Book.fetchRequest()) { result in
///       print(result.finalResult?.count ?? 0)  // 3
///     }
///     try context.execute(request)
///
/// ``NSManagedObjectContext/execute(_:)`` returns an ``NSAsynchronousFetchResult`` at once. Unsaved changes that the
/// context has when the rows arrive are taken into account.
nonisolated open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  /// The block that is called with the result, on the context's queue.
  public typealias CompletionBlock = (NSAsynchronousFetchResult<ResultType>) -> Void

  /// The fetch. Changing it after the request was executed has no effect.
  public let fetchRequest: NSFetchRequest<ResultType>
  /// Called once, on the context's queue, when the fetch has succeeded, failed or been cancelled.
  public var completionBlock: NSPersistentStoreAsynchronousFetchResultCompletionBlock? {
    // The type of objects doesn't change what a result is.
    completion.map { block in { block(unsafeBitCast($0, to: NSAsynchronousFetchResult<ResultType>.self)) } }
  }
  let completion: CompletionBlock?
  /// How many objects you expect, for the progress; 0 if you don't know.
  open var estimatedResultCount = 0

  /// Makes a request for ``NSManagedObjectContext/execute(_:)``, with the block to call when the fetch is done.
  public init(fetchRequest request: NSFetchRequest<ResultType>, completionBlock: CompletionBlock? = nil) {
    fetchRequest = request
    completion = completionBlock
    super.init()
    // Lets `request as? NSAsynchronousFetchRequest<NSFetchRequestResult>` succeed, as where type parameters are erased,
    // and `as? NSAsynchronousFetchRequest<NSManagedObject>` for a request for objects of a class.
    ClassMetadata(NSAsynchronousFetchRequest<ResultType>.self).standBelow(
      NSAsynchronousFetchRequest<any NSFetchRequestResult>.self,
      objects: ResultType.self is NSManagedObject.Type ? NSAsynchronousFetchRequest<NSManagedObject>.self : nil,
      superclass: NSPersistentStoreRequest.self)
  }

  /// `fetchRequestType`.
  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// The stores of the fetch request.
  open override var affectedStores: [NSPersistentStore]? {
    get { fetchRequest.affectedStores }
    set { fetchRequest.affectedStores = newValue }
  }

  /// A copy of it and of its fetch request, with the same completion block.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSAsynchronousFetchRequest(
      fetchRequest: fetchRequest.copy() as! NSFetchRequest<ResultType>, completionBlock: completion)
    copy.estimatedResultCount = estimatedResultCount
    return copy
  }

  override func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult? {
    try context.start(self)
  }
}
