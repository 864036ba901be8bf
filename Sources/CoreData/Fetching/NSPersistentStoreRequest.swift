/// What a request asks for.
public enum NSPersistentStoreRequestType: UInt, Sendable {
  case fetchRequestType = 1
  case saveRequestType = 2
  case batchInsertRequestType = 5
  case batchUpdateRequestType = 6
  case batchDeleteRequestType = 7
}

/// Something a store can be asked to do.
nonisolated open class NSPersistentStoreRequest: NSObject, NSCopying {
  /// The stores to ask; nil for all of the coordinator's.
  open var affectedStores: [NSPersistentStore]?

  open var requestType: NSPersistentStoreRequestType {
    preconditionFailure("\(type(of: self)) must override NSPersistentStoreRequest.requestType.")
  }

  public override init() { super.init() }

  /// What it finds, where it is a fetch.
  func found(in context: NSManagedObjectContext) throws -> [Any]? { nil }

  /// The result under way, where the request is one that goes on by itself.
  func start(in context: NSManagedObjectContext) throws -> NSPersistentStoreAsynchronousResult? { nil }

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
