/// The result of a request that goes on after it was executed. Belongs to the context's queue, except ``cancel()`` and
/// ``progress``.
nonisolated open class NSPersistentStoreAsynchronousResult: NSPersistentStoreResult {
  /// The context that executed the request.
  public let managedObjectContext: NSManagedObjectContext
  /// Why there is no result; nil while the request runs and when it went well. A cancelled request has the error
  /// `NSUserCancelledError`.
  public internal(set) final var operationError: (any Error)?
  /// How far the request is: rows read, of those that were expected. A progress that was current when the request was
  /// executed is its parent. Cancelling it cancels the request.
  public let progress: Progress?

  init(_ context: NSManagedObjectContext, _ progress: Progress) {
    managedObjectContext = context
    self.progress = progress
    super.init()
  }

  /// Calls the request off, from any thread: the store stops reading as soon as it can. Without effect once it is done.
  open func cancel() { progress?.cancel() }
}

/// What an ``NSAsynchronousFetchRequest`` finds.
nonisolated open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>: NSPersistentStoreAsynchronousResult
{
  /// The request that was executed.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// What was found; nil until it is complete, and if the fetch failed or was cancelled.
  public internal(set) final var finalResult: [ResultType]?

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext, _ progress: Progress) {
    fetchRequest = request
    super.init(context, progress)
  }
}
