import CoreData

extension DataController {
  //> async
  /// The controller for code that can await it: it comes back ready, or not at all.
  ///
  /// The store is opened in the background, and the main thread is free meanwhile.
  ///
  /// - Throws: A `DataControllerFailure`.
  @MainActor
  public static func load(
    at storeURL: URL?, modelName: String = "DataModel"
  ) async throws -> DataController {
    var controller: DataController?
    try await withCheckedThrowingContinuation { (ready: CheckedContinuation<Void, any Error>) in
      controller = DataController(at: storeURL, modelName: modelName) { result in
        ready.resume(with: result)
      }
    }
    guard let controller else {
      preconditionFailure("The continuation runs its body before it waits.")
    }
    return controller
  }
  //< async
}
