/// The result of a batch delete.
nonisolated open class NSBatchDeleteResult: NSPersistentStoreResult {
  /// `true`, the ids as `[NSManagedObjectID]`, or the count, depending on ``resultType``.
  open internal(set) var result: Any?
  /// The request's result type.
  open internal(set) var resultType: NSBatchDeleteRequestResultType = .resultTypeStatusOnly

  /// For subclasses.
  public override init() { super.init() }

  convenience init(_ resultType: NSBatchDeleteRequestResultType, _ ids: [NSManagedObjectID], count: Int? = nil) {
    self.init()
    self.resultType = resultType
    switch resultType {
    case .resultTypeStatusOnly: result = NSNumber(value: true)
    case .resultTypeObjectIDs: result = ids
    case .resultTypeCount: result = NSNumber(value: count ?? ids.count)
    }
  }
}
