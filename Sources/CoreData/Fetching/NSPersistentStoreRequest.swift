/// The kinds of requests.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// An ``NSFetchRequest``, an ``NSAsynchronousFetchRequest``, or a request for history.
  case fetchRequestType = 1
  /// An ``NSSaveChangesRequest``.
  case saveRequestType = 2
  /// An ``NSBatchInsertRequest``.
  case batchInsertRequestType = 5
  /// An ``NSBatchUpdateRequest``.
  case batchUpdateRequestType = 6
  /// An ``NSBatchDeleteRequest``, or a request that deletes history.
  case batchDeleteRequestType = 7
}

/// Something a store can be asked to do.
nonisolated open class NSPersistentStoreRequest: NSObject, NSCopying {
  // Unchecked, as the count of `indexed` asks for; see CONTRIBUTING.md.
  /// The stores to ask; nil for all of the coordinator's.
  @exclusivity(unchecked) open var affectedStores: [NSPersistentStore]?

  /// The kind of this request. Subclasses override it; otherwise it traps.
  open var requestType: NSPersistentStoreRequestType {
    misuse("\(type(of: self)) must override NSPersistentStoreRequest.requestType.")
  }

  /// For subclasses.
  public override init() { super.init() }

  /// The results, if the request is a fetch.
  func found(in context: NSManagedObjectContext) throws -> [Any]? { nil }

  /// What a context's `execute(_:)` returns of a fetch: complete, or pending if the request is asynchronous.
  func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult? { nil }

  /// A copy. Subclasses override it; otherwise it traps.
  open func copy(with zone: NSZone? = nil) -> Any {
    misuse("\(type(of: self)) must override copy(with:).")
  }
}
