import CoreData

extension DataController {
  //> async
  /// The controller for code that can wait: it comes back ready, or not at all.
  ///
  /// The store is opened in the background, whatever the caller runs on; the caller's thread is
  /// free meanwhile.
  ///
  /// - Throws: A `DataControllerFailure`.
  public static func load(
    at storeURL: URL, modelName: String = "DataModel"
  ) async throws -> DataController {
    var controller: DataController?
    try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
      controller = DataController(at: storeURL, modelName: modelName, loading: .asynchronous) {
        ready.resume(with: $0.mapError { $0 as any Error })
      }
    }
    guard let controller else {
      preconditionFailure("The continuation runs its body before it waits.")
    }
    return controller
  }
  //< async
}
