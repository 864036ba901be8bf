/// Fetches that read on another thread.
extension NSManagedObjectContext {
  /// Checks the request, which may throw, and starts it:
  ///
  /// 1. on a thread of its own the stores answer with rows, unless the request goes to a parent, to several stores or
  ///    to an incremental one, or has code of the program's in it;
  /// 2. on the context's queue the rows become objects. In the cases above, and if unsaved changes take part or the
  ///    context has saved or merged meanwhile, the whole fetch is made there. Then the completion block is called.
  func start<R: NSFetchRequestResult>(_ request: NSAsynchronousFetchRequest<R>) throws -> NSAsynchronousFetchResult<R> {
    guardQueue("execute(_:)")
    let coordinator = coordinator(for: "execute(_:)")
    source.learnKeys(for: self)
    let fetch = request.fetchRequest.copy() as! NSFetchRequest<R>
    // It may be one for objects of a class, which was cast.
    if !(R.self is NSObject.Type) { fetch.isForAnyResults = true }
    if fetch.includesPendingChanges { processPendingChanges() }
    var description = try description(of: fetch)
    try checkResult(of: fetch, description)

    let progress = Progress(totalUnitCount: request.estimatedResultCount > 0 ? Int64(request.estimatedResultCount) : -1)
    // The progress keeps the watch, for its handler.
    let watch = FetchWatch { [weak progress] rows in progress?.completedUnitCount = Int64(rows) }
    progress.isCancellable = true
    progress.cancellationHandler = { watch.cancel() }
    description.watch = watch

    let running = AsynchronousFetch(
      context: self, coordinator: coordinator, request: fetch, type: fetch.answeredType, options: FetchOptions(fetch),
      description: description, stateNumber: stateNumber, watch: watch, completion: request.completion,
      result: NSAsynchronousFetchResult(request, context: self, progress: progress))
    let generation = try source.generation(for: self)
    if try description.runsCode || !source.answersAnywhere(description, running.options, for: self) {
      enqueue { running.finish(nil) }
    } else {
      DispatchQueue.global().async {
        let answers = Result { try running.read(generation) }
        self.enqueue { running.finish(answers) }
      }
    }
    return running.result
  }
}

extension NSManagedObjectContext {
  /// Executes an ordinary fetch at once. Its result has the form of an asynchronous one.
  func complete<R: NSFetchRequestResult>(_ request: NSFetchRequest<R>) throws -> NSAsynchronousFetchResult<R> {
    let found = try request.results(in: self)
    let progress = Progress(totalUnitCount: Int64(max(found.count, 1)))
    progress.completedUnitCount = progress.totalUnitCount
    let result = NSAsynchronousFetchResult(
      NSAsynchronousFetchRequest(fetchRequest: request), context: self, progress: progress)
    result.finalResult = found
    return result
  }
}

/// A running fetch. It keeps the context and the result alive until it is done.
private struct AsynchronousFetch<R: NSFetchRequestResult>: @unchecked Sendable {
  // `@unchecked Sendable`: `read` touches values only; the rest happens on the context's queue.

  let context: NSManagedObjectContext
  let coordinator: NSPersistentStoreCoordinator
  let request: NSFetchRequest<R>
  let type: NSFetchRequestResultType
  let options: FetchOptions
  let description: FetchDescription
  /// The context's `stateNumber` when the fetch began.
  let stateNumber: Int
  let watch: FetchWatch
  let completion: NSAsynchronousFetchRequest<R>.CompletionBlock?
  let result: NSAsynchronousFetchResult<R>

  func read(_ generation: QueryGeneration?) throws -> [StoreAnswer] {
    try coordinator.answers(
      to: options.asStoresSee(description), for: context, stores: options.stores, generation)
  }

  /// The progress knows of a cancellation before its handler is called, on a queue of its own.
  private func goOn() throws {
    if watch.isCancelled || result.progress?.isCancelled == true { throw Failure.cancelled }
  }

  /// Called on the context's queue, with the stores' answer; nil to ask them there.
  func finish(_ answers: Result<[StoreAnswer], any Error>?) {
    do {
      try goOn()
      var options = options
      // Rows that a save or a merge has overtaken would be taken for newer than what the context has.
      if context.stateNumber == stateNumber { options.answers = try answers?.get() }
      var asked = description
      if description.hasFetches || description.hadFetches {
        // What its predicate asks first may have another answer by now, of which the stores have not heard.
        asked = try context.description(of: request)
        asked.watch = watch
        if !asked.hasFetches { options.answers = nil }
      }
      let found: [R] = try context.results(of: asked, options, type)
      try goOn()
      result.finalResult = found
      let progress = result.progress!
      progress.totalUnitCount = Int64(max(found.count, 1))
      progress.completedUnitCount = progress.totalUnitCount
    } catch {
      result.operationError = (error as? Failure)?.nsError ?? error
    }
    completion?(result)
  }
}
