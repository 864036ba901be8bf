import Foundation

/// A set of objects that need not be kept alive, as of a stack's contexts or of delegates. Foundation on Linux lacks
/// it.
///
/// Not for use on several threads at once, but for the freeing of its objects.
nonisolated open class NSHashTable<ObjectType>: NSObject, NSCopying {
  private final var table: ObjectTable

  /// A set whose objects are kept and told apart as the options say.
  public init(options: NSPointerFunctions.Options = [], capacity initialCapacity: Int = 0) {
    table = ObjectTable(options, options)
    super.init()
  }

  /// A set that keeps its objects alive.
  public override convenience init() { self.init(options: [], capacity: 0) }

  /// A set that does not keep its objects alive.
  open class func weakObjects() -> NSHashTable<ObjectType> { NSHashTable(options: .weakMemory, capacity: 0) }

  /// A set of the same objects.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSHashTable(options: table.keyOptions, capacity: 0)
    copy.table = table
    return copy
  }

  /// How many of the objects live.
  open var count: Int { table.pairs.count }
  /// The objects that live, in no order.
  open var allObjects: [ObjectType] { table.pairs.compactMap { $0.key as? ObjectType } }
  /// Some object that lives; nil if there is none.
  open var anyObject: ObjectType? { allObjects.first }
  /// The objects that live, as a set.
  open var setRepresentation: Set<AnyHashable> { Set(allObjects.compactMap { $0 as? AnyHashable }) }

  /// The object in the set that equals this one.
  open func member(_ object: ObjectType?) -> ObjectType? {
    guard let object, let found = table.pair(for: object as AnyObject) else { return nil }
    return found.key as? ObjectType
  }

  /// Whether an object is in the set.
  open func contains(_ anObject: ObjectType?) -> Bool {
    anObject.map { table.pair(for: $0 as AnyObject) != nil } ?? false
  }

  /// The objects that live, one by one.
  open func objectEnumerator() -> NSEnumerator { NSArray(array: allObjects).objectEnumerator() }

  /// Adds an object, unless the set has one that equals it.
  open func add(_ object: ObjectType?) {
    guard let object, !contains(object) else { return }
    table.set(object as AnyObject, for: object as AnyObject)
  }

  /// Removes an object.
  open func remove(_ object: ObjectType?) {
    if let object { table.remove(object as AnyObject) }
  }

  /// Removes all objects.
  open func removeAllObjects() { table.removeAll() }

  /// Adds the objects of another set.
  open func union(_ other: NSHashTable<ObjectType>) {
    for object in other.allObjects { add(object) }
  }

  /// Removes the objects of another set.
  open func minus(_ other: NSHashTable<ObjectType>) {
    for object in other.allObjects { remove(object) }
  }

  /// Keeps the objects that are in another set, too.
  open func intersect(_ other: NSHashTable<ObjectType>) {
    for object in allObjects where !other.contains(object) { remove(object) }
  }

  /// Whether some object is in another set, too.
  open func intersects(_ other: NSHashTable<ObjectType>) -> Bool { allObjects.contains { other.contains($0) } }

  /// Whether all objects are in another set, too.
  open func isSubset(of other: NSHashTable<ObjectType>) -> Bool { allObjects.allSatisfy { other.contains($0) } }
}
