import Foundation

/// Objects by keys, of which either need not be kept alive, as a value for each of a stack's contexts. Foundation on
/// Linux lacks it.
///
/// Not for use on several threads at once, but for the freeing of its objects.
nonisolated open class NSMapTable<KeyType, ObjectType>: NSObject, NSCopying {
  private final var table: ObjectTable

  /// A table whose keys and objects are kept, and whose keys are told apart, as the options say.
  public init(
    keyOptions: NSPointerFunctions.Options = [], valueOptions: NSPointerFunctions.Options = [],
    capacity initialCapacity: Int = 0
  ) {
    table = ObjectTable(keyOptions, valueOptions)
    super.init()
  }

  /// A table that keeps its keys and objects alive.
  public override convenience init() { self.init(keyOptions: [], valueOptions: [], capacity: 0) }

  /// A table that keeps its keys and objects alive.
  open class func strongToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
    NSMapTable(keyOptions: [], valueOptions: [], capacity: 0)
  }

  /// A table that keeps an object alive as long as its key lives, which it does not keep alive.
  open class func weakToStrongObjects() -> NSMapTable<KeyType, ObjectType> {
    NSMapTable(keyOptions: .weakMemory, valueOptions: [], capacity: 0)
  }

  /// A table that keeps its keys alive, and not its objects.
  open class func strongToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
    NSMapTable(keyOptions: [], valueOptions: .weakMemory, capacity: 0)
  }

  /// A table that keeps neither keys nor objects alive.
  open class func weakToWeakObjects() -> NSMapTable<KeyType, ObjectType> {
    NSMapTable(keyOptions: .weakMemory, valueOptions: .weakMemory, capacity: 0)
  }

  /// A table of the same keys and objects.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSMapTable(keyOptions: table.keyOptions, valueOptions: table.valueOptions, capacity: 0)
    copy.table = table
    return copy
  }

  /// How many keys have an object: those where both live.
  open var count: Int { table.pairs.count }

  /// The object of a key; nil if there is none, or if it was freed.
  open func object(forKey aKey: KeyType?) -> ObjectType? {
    guard let aKey, let found = table.pair(for: aKey as AnyObject) else { return nil }
    return found.value as? ObjectType
  }

  /// Gives a key an object; nil removes it.
  open func setObject(_ anObject: ObjectType?, forKey aKey: KeyType?) {
    guard let aKey else { return }
    guard let anObject else { return removeObject(forKey: aKey) }
    table.set(anObject as AnyObject, for: aKey as AnyObject)
  }

  /// Removes a key and its object.
  open func removeObject(forKey aKey: KeyType?) {
    if let aKey { table.remove(aKey as AnyObject) }
  }

  /// Removes all keys.
  open func removeAllObjects() { table.removeAll() }

  /// The keys whose objects live, one by one.
  open func keyEnumerator() -> NSEnumerator { NSArray(array: table.pairs.map(\.key)).objectEnumerator() }

  /// The objects that live, one by one.
  open func objectEnumerator() -> NSEnumerator? { NSArray(array: table.pairs.map(\.value)).objectEnumerator() }

  /// The keys and objects that live.
  open func dictionaryRepresentation() -> [AnyHashable: ObjectType] {
    var result: [AnyHashable: ObjectType] = [:]
    for pair in table.pairs {
      if let key = pair.key as? AnyHashable, let value = pair.value as? ObjectType { result[key] = value }
    }
    return result
  }
}
