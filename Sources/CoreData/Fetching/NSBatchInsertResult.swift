/// What a batch insert did.
nonisolated open class NSBatchInsertResult: NSPersistentStoreResult {
  /// `true`, the ids as `[NSManagedObjectID]`, or the count, as ``resultType`` says.
  ///
  /// Rows that took values of the request's, by the context's merge policy, are among them; each row once.
  public let result: Any?
  /// The request's result type.
  public let resultType: NSBatchInsertRequestResultType

  init(_ resultType: NSBatchInsertRequestResultType, count: Int, ids: [NSManagedObjectID]) {
    self.resultType = resultType
    switch resultType {
    case .statusOnly: result = NSNumber(value: true)
    case .objectIDs: result = ids
    case .count: result = NSNumber(value: count)
    }
    super.init()
  }
}
