/// What a store answered to a request.
nonisolated open class NSPersistentStoreResult: NSObject {
  public override init() { super.init() }
}
