/// The result of a batch update.
nonisolated open class NSBatchUpdateResult: NSPersistentStoreResult {
  /// `true`, the ids as `[NSManagedObjectID]`, or the count, depending on ``resultType``.
  public let result: Any?
  /// The request's result type.
  public let resultType: NSBatchUpdateRequestResultType

  init(_ resultType: NSBatchUpdateRequestResultType, _ ids: [NSManagedObjectID], count: Int? = nil) {
    self.resultType = resultType
    switch resultType {
    case .statusOnlyResultType: result = NSNumber(value: true)
    case .updatedObjectIDsResultType: result = ids
    case .updatedObjectsCountResultType: result = NSNumber(value: count ?? ids.count)
    }
    super.init()
  }
}
