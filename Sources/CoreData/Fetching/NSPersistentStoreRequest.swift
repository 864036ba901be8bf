/// What a request asks for.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  /// An ``NSFetchRequest`` or ``NSAsynchronousFetchRequest``, and a request that asks for history.
  case fetchRequestType = 1
  /// An ``NSSaveChangesRequest``.
  case saveRequestType = 2
  /// An ``NSBatchInsertRequest``.
  case batchInsertRequestType = 5
  /// An ``NSBatchUpdateRequest``.
  case batchUpdateRequestType = 6
  /// An ``NSBatchDeleteRequest``, and a request that deletes history.
  case batchDeleteRequestType = 7
}

/// Something a store can be asked to do.
nonisolated open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// The stores to ask; nil for all of the coordinator's.
  open var affectedStores: [NSPersistentStore]?

  /// What kind of request this is. Subclasses override it; otherwise it traps.
  open var requestType: NSPersistentStoreRequestType {
    preconditionFailure("\(type(of: self)) must override NSPersistentStoreRequest.requestType.")
  }

  /// For subclasses.
  public override init() { super.init() }

  /// What it finds, where it is a fetch.
  func found(in context: NSManagedObjectContext) throws -> [Any]? { nil }

  /// The result under way, where the request is one that goes on by itself.
  func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult? { nil }

  /// A copy. Subclasses override it; otherwise it traps.
  open func copy(with zone: NSZone? = nil) -> Any {
    preconditionFailure("\(type(of: self)) must override copy(with:).")
  }
}

/// A type that a fetch may return: managed objects, their ids, dictionaries, numbers.
///
/// A marker, so that `NSFetchRequest<NSFetchRequestResult>` satisfies its own constraint; it cannot be used with
/// `as?` or `is`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
