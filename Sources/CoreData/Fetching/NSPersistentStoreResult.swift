/// The result of a request to the stores.
nonisolated open class NSPersistentStoreResult: NSObject {
  /// For subclasses.
  public override init() { super.init() }
}
