/// A type that a fetch may return: managed objects, their ids, dictionaries, numbers.
///
/// A marker, so that `NSFetchRequest<NSFetchRequestResult>` satisfies its own constraint; it cannot be used with
/// `as?` or `is`.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSManagedObject: NSFetchRequestResult {}
extension NSManagedObjectID: NSFetchRequestResult {}
extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// What code can ask of a result whose type it does not know. A marker has no requirements, so it cannot be an
/// `NSObjectProtocol`; but every result is an `NSObject`.
extension NSFetchRequestResult {
  private var object: NSObject { self as AnyObject as! NSObject }

  /// Whether the result equals another: by its class's `isEqual(_:)`.
  @_disfavoredOverload
  public func isEqual(_ object: Any?) -> Bool { self.object.isEqual(object) }

  /// The class's `hash`.
  @_disfavoredOverload
  public var hash: Int { object.hash }

  /// The class's `description`.
  @_disfavoredOverload
  public var description: String { object.description }

  /// Whether the result is of a class or of a subclass.
  @_disfavoredOverload
  public func isKind(of aClass: AnyClass) -> Bool { object.isKind(of: aClass) }

  /// Whether the result is of a class, and of no subclass.
  @_disfavoredOverload
  public func isMember(of aClass: AnyClass) -> Bool { object.isMember(of: aClass) }
}
