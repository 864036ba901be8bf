/// One record of an atomic store, in memory: the values of an object.
///
/// Values are keyed by the names of properties: attributes of their types; relationships as other nodes, to-many
/// ones as an array, a set or an ordered set of them.
/// Nodes belong to their store. The framework reads them when you add them, and passes them to the store's methods.
nonisolated open class NSAtomicStoreCacheNode: NSObject {
  private let id: NSManagedObjectID

  /// Makes a node without values for an object of the store.
  public init(objectID moid: NSManagedObjectID) {
    id = moid
    super.init()
  }

  /// The id of the node's object.
  open var objectID: NSManagedObjectID { id }

  /// The values of ``value(forKey:)`` and ``setValue(_:forKey:)``; nil until one is set.
  open var propertyCache: NSMutableDictionary?

  /// The value of a property; nil if there is none. A subclass may get it from elsewhere.
  open func value(forKey key: String) -> Any? { propertyCache?.object(forKey: key) }

  /// Sets the value of a property; nil removes it.
  open func setValue(_ value: Any?, forKey key: String) {
    guard let value else {
      propertyCache?.removeObject(forKey: key)
      return
    }
    if propertyCache == nil { propertyCache = NSMutableDictionary() }
    propertyCache?.setObject(value, forKey: key as NSString)
  }
}
