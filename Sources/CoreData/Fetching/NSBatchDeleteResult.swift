/// The result of a batch delete.
nonisolated open class NSBatchDeleteResult: NSPersistentStoreResult {
  /// `true`, the ids as `[NSManagedObjectID]`, or the count, depending on ``resultType``.
  public let result: Any?
  /// The request's result type.
  public let resultType: NSBatchDeleteRequestResultType

  init(_ resultType: NSBatchDeleteRequestResultType, _ ids: [NSManagedObjectID], count: Int? = nil) {
    self.resultType = resultType
    switch resultType {
    case .resultTypeStatusOnly: result = NSNumber(value: true)
    case .resultTypeObjectIDs: result = ids
    case .resultTypeCount: result = NSNumber(value: count ?? ids.count)
    }
    super.init()
  }
}
