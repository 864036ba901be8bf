/// The values of one object as an incremental store has them: one version of one record.
///
/// Values are keyed by the names of properties: attributes of their types, to-one relationships as
/// `NSManagedObjectID`, `NSNull` or nothing for nil. Transient and to-many properties are left out.
/// A node may be handed to the framework from any thread; it is read at once and not kept.
nonisolated open class NSIncrementalStoreNode: NSObject {
  private let id: NSManagedObjectID
  private var values: [String: Any]
  private var number: UInt64

  /// A node for one object.
  ///
  /// - Parameters:
  ///   - objectID: the object's id.
  ///   - values: by the names of properties.
  ///   - version: grows, or changes, with each change of the record. By it the framework notices that the record has
  ///     changed since the object was read, before a save overwrites it.
  public init(objectID: NSManagedObjectID, withValues values: [String: Any], version: UInt64) {
    id = objectID
    self.values = values
    number = version
    super.init()
  }

  /// The object that the values are of.
  open var objectID: NSManagedObjectID { id }

  /// The version of the record that the values are of.
  open var version: UInt64 { number }

  /// Takes newer values: those that are named; the others stay.
  open func update(withValues values: [String: Any], version: UInt64) {
    self.values.merge(values) { $1 }
    number = version
  }

  /// The value of a property: `NSNull` if the record has no value, nil if the record does not say.
  ///
  /// For a to-one relationship that is nil here, the framework calls
  /// ``NSIncrementalStore/newValue(forRelationship:forObjectWith:with:)``.
  open func value(for prop: NSPropertyDescription) -> Any? { values[prop.name] }
}
