import CoreData

extension NSManagedObjectContext {
  //> save-if-needed
  /// Saves if there is something to save.
  ///
  /// - Returns: Whether there was. Call it on the context's queue.
  @discardableResult
  public func saveIfNeeded() throws -> Bool {
    guard hasChanges else { return false }
    try save()
    return true
  }
  //< save-if-needed
}
