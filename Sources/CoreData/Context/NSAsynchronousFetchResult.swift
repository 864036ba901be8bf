/// The result of a request that goes on after `execute(_:)` has returned. Belongs to the context's queue, except
/// ``cancel()`` and ``progress``.
nonisolated open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
  /// The context that executed the request.
  public let managedObjectContext: NSManagedObjectContext
  /// Why there is no result; nil while the request runs and when it went well. A cancelled request has the error
  /// `NSUserCancelledError`.
  public internal(set) final var operationError: (any Error)?
  /// How far the request is, as the rows read of those expected. A progress that was current when the request was
  /// executed is its parent. Cancelling it cancels the request.
  public let progress: Progress?

  init(_ context: NSManagedObjectContext, _ progress: Progress) {
    managedObjectContext = context
    self.progress = progress
    super.init()
  }

  /// Cancels the request, from any thread. The store stops reading as soon as it can. Has no effect once the request is
  /// done.
  open func cancel() { progress?.cancel() }
}

/// The result of an ``NSAsynchronousFetchRequest``.
nonisolated open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult
{
  /// The request that was executed.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// The objects found; nil until the fetch is complete, and if it failed or was canceled.
  public internal(set) final var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, context: NSManagedObjectContext, progress: Progress) {
    fetchRequest = request
    super.init(context, progress)
    // Lets `result as? NSAsynchronousFetchResult<NSFetchRequestResult>` succeed, as where type parameters are erased,
    // and `as? NSAsynchronousFetchResult<NSManagedObject>` for a result of objects of a class.
    ClassMetadata(NSAsynchronousFetchResult<ResultType>.self).standBelow(
      NSAsynchronousFetchResult<any NSFetchRequestResult>.self,
      objects: ResultType.self is NSManagedObject.Type ? NSAsynchronousFetchResult<NSManagedObject>.self : nil,
      superclass: NSPersistentStoreAsynchronousResult.self)
  }
}
