/// The result of a batch update.
nonisolated open class NSBatchUpdateResult: NSPersistentStoreResult {
  /// `true`, the ids as `[NSManagedObjectID]`, or the count, depending on ``resultType``.
  open internal(set) var result: Any?
  /// The request's result type.
  open internal(set) var resultType: NSBatchUpdateRequestResultType = .statusOnlyResultType

  /// For subclasses.
  public override init() { super.init() }

  convenience init(_ resultType: NSBatchUpdateRequestResultType, _ ids: [NSManagedObjectID], count: Int? = nil) {
    self.init()
    self.resultType = resultType
    switch resultType {
    case .statusOnlyResultType: result = NSNumber(value: true)
    case .updatedObjectIDsResultType: result = ids
    case .updatedObjectsCountResultType: result = NSNumber(value: count ?? ids.count)
    }
  }
}
