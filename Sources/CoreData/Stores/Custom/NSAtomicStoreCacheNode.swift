/// One record of an atomic store, in memory: what an object of the store has for values.
///
/// Values are keyed by the names of properties: attributes of their types; relationships as other nodes, to-many
/// ones as an array, a set or an ordered set of them.
/// Nodes belong to their store. The framework reads them when they are added, and hands them to the store's methods.
nonisolated open class NSAtomicStoreCacheNode: NSObject {
  private let id: NSManagedObjectID

  /// A node without values for an object of the store.
  public init(objectID moid: NSManagedObjectID) {
    id = moid
    super.init()
  }

  /// The object that the node is of.
  open var objectID: NSManagedObjectID { id }

  /// Where ``value(forKey:)`` and ``setValue(_:forKey:)`` keep the values; nil until there are some.
  open var propertyCache: NSMutableDictionary?

  /// The value of a property; nil where there is none. A subclass may find it elsewhere.
  open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key) }

  /// Sets the value of a property; nil takes it out.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let value else {
      propertyCache?.removeObject(forKey: key)
      return
    }
    if propertyCache == nil { propertyCache = NSMutableDictionary() }
    propertyCache?.setObject(value, forKey: key as NSString)
  }
}
