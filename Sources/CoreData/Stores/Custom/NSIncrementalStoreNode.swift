/// The values of one object of an incremental store: one version of one record.
///
/// Values are keyed by the names of properties: attributes of their types, to-one relationships as `NSManagedObjectID`;
/// `NSNull` or a missing key for nil. Leave out transient and to-many properties. You may return a node from any
/// thread; it is read at once and not kept.
nonisolated open class NSIncrementalStoreNode: NSObject {
  private let id: NSManagedObjectID
  private var values: [String: Any]
  private var number: UInt64

  /// Makes a node for one object.
  ///
  /// - Parameters:
  ///   - objectID: the object's id.
  ///   - values: by the names of properties.
  ///   - version: a number that changes with each change of the record. With it the framework detects, before a save
  ///     overwrites the record, that it has changed since the object was read.
  public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
    id = objectID
    self.values = values
    number = version
    super.init()
  }

  /// The id of the object with these values.
  open var objectID: NSManagedObjectID { id }

  /// The version of the record with these values.
  open var version: UInt64 { number }

  /// Sets newer values. Those that are not named stay.
  open func update(withValues values: [String: Any], version: UInt64) {
    self.values.merge(values) { $1 }
    number = version
  }

  /// The value of a property: `NSNull` if the record has none, nil if the node does not say.
  ///
  /// For a to-one relationship that is nil here, the framework calls
  /// ``NSIncrementalStore/newValue(forRelationship:forObjectWith:with:)``.
  open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
