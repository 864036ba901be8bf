extension NSManagedObjectContext {
  /// ``execute(_:)``.
  func executeInStores(_ request: NSPersistentStoreRequest) throws -> NSPersistentStoreResult {
    guardQueue("execute(_:)")
    let coordinator = try coordinator(for: "execute(_:)")
    if request.requestType == .fetchRequestType {
      throw Failure.malformedFetchRequest(
        entity: nil, what: "execute(_:) has results of batch requests; fetch(_:) has those of a fetch").nsError
    }
    return try coordinator.executeBatch(request)
  }
}
