/// What a store answered to a request.
nonisolated open class NSPersistentStoreResult: NSObject {
  /// For subclasses.
  public override init() { super.init() }
}
