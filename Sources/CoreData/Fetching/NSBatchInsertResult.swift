/// The result of a batch insert.
nonisolated open class NSBatchInsertResult: NSPersistentStoreResult {
  /// `true`, the ids as `[NSManagedObjectID]`, or the count, depending on ``resultType``.
  ///
  /// Includes existing rows that took the request's values because of the context's merge policy. Each row counts once.
  open internal(set) var result: Any?
  /// The request's result type.
  open internal(set) var resultType: NSBatchInsertRequestResultType = .statusOnly

  /// For subclasses.
  public override init() { super.init() }

  convenience init(_ resultType: NSBatchInsertRequestResultType, count: Int, ids: [NSManagedObjectID]) {
    self.init()
    self.resultType = resultType
    switch resultType {
    case .statusOnly: result = NSNumber(value: true)
    case .objectIDs: result = ids
    case .count: result = NSNumber(value: count)
    }
  }
}
