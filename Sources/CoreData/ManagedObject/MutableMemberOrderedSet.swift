/// The live members of an ordered relationship.
///
/// Foundation lets most methods be overridden, but not iteration, `firstObject`, `lastObject` and `reversed`, which
/// read storage of their own. So the members are copied there when the set is made, at every change through it, and
/// when another method, such as `count`, finds that the relationship was changed elsewhere.
final class MutableMemberOrderedSet: NSMutableOrderedSet {
  private let object: NSManagedObject
  private let property: LayoutProperty
  /// Whether changes only affect what the object holds, without inverses.
  private let isPrimitive: Bool

  init(_ object: NSManagedObject, _ property: LayoutProperty, isPrimitive: Bool = false) {
    self.object = object
    self.property = property
    self.isPrimitive = isPrimitive
    object.fireIfNeeded(call: "reading \"\(property.name)\"")
    let members = object.members(property)
    copied = Copy(members, of: object.toManyState(property))
    // Half the price of adding them, each as a value of any type.
    let objects: [AnyObject] = Array(members)
    super.init(objects: objects, count: objects.count)
  }

  required override init(capacity: Int) { fatalError("A relationship's set is made by its object only.") }
  required init?(coder: NSCoder) { fatalError("A relationship's set cannot be archived.") }
  required convenience init(arrayLiteral elements: Any...) {
    fatalError("A relationship's set is made by its object only.")
  }

  /// The members in Foundation's storage, and the state of the relationship at the time.
  private struct Copy {
    private(set) var members: ContiguousArray<NSManagedObject>
    private let state: ToManyState
    private var changeCount: Int

    init(_ members: ContiguousArray<NSManagedObject>, of state: ToManyState) {
      (self.members, self.state, changeCount) = (members, state, state.changeCount)
    }

    func isOf(_ state: ToManyState) -> Bool { self.state === state && changeCount == state.changeCount }

    mutating func append(_ member: NSManagedObject) {
      members.append(member)
      changeCount = state.changeCount
    }
  }

  private var copied: Copy
  /// Foundation asks these same methods while it fills its storage.
  private var isCopying = false

  private var members: ContiguousArray<NSManagedObject> {
    refresh()
    return object.members(property)
  }

  /// Copies the members if they have changed since.
  private func refresh() {
    if isCopying { return }
    object.fireIfNeeded(call: "reading \"\(property.name)\"")
    if copied.isOf(object.toManyState(property)) { return }
    let members = object.members(property)
    isCopying = true
    copyChanges(copied.members, members)
    isCopying = false
    copied = Copy(members, of: object.toManyState(property))
  }

  /// Only what lies between the first and the last difference changes, or the one member that moved: a step in
  /// Foundation's storage costs some thousands of instructions.
  private func copyChanges(
    _ old: ContiguousArray<NSManagedObject>, _ new: ContiguousArray<NSManagedObject>
  ) {
    let (start, kept) = old.commonEnds(with: new)
    let (oldEnd, newEnd) = (old.count - kept, new.count - kept)
    if oldEnd == newEnd, newEnd - start > 2 {
      let (first, last) = (start, newEnd - 1)
      if old[first + 1...last].elementsEqual(new[first..<last], by: ===) {
        return copyMove(of: new[last], from: first, to: last)
      }
      if old[first..<last].elementsEqual(new[first + 1...last], by: ===) {
        return copyMove(of: new[first], from: last, to: first)
      }
    }
    for index in (start..<oldEnd).reversed() { super.removeObject(at: index) }
    for index in start..<newEnd { super.insert(new[index], at: index) }
  }

  private func copyMove(of member: NSManagedObject, from: Int, to: Int) {
    super.removeObject(at: from)
    super.insert(member, at: to)
  }

  private func checked(_ member: Any) -> NSManagedObject {
    guard let member = member as? NSManagedObject else {
      misuse(.unacceptable(member, property, of: object.layout))
    }
    return member
  }

  override var count: Int {
    refresh()
    return super.count
  }
  override func object(at index: Int) -> Any {
    refresh()
    return super.object(at: index)
  }
  override func index(of member: Any) -> Int {
    refresh()
    return super.index(of: member)
  }
  override func contains(_ member: Any) -> Bool {
    refresh()
    return super.contains(member)
  }

  override var description: String {
    refresh()
    return super.description
  }
  override func enumerateObjects(_ block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void) {
    refresh()
    super.enumerateObjects(block)
  }
  override func enumerateObjects(
    at indexes: IndexSet, options: NSEnumerationOptions = [],
    using block: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Void
  ) {
    refresh()
    super.enumerateObjects(at: indexes, options: options, using: block)
  }
  override func index(
    ofObjectAt indexes: IndexSet, options: NSEnumerationOptions = [],
    passingTest isMeant: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> Int {
    refresh()
    return super.index(ofObjectAt: indexes, options: options, passingTest: isMeant)
  }
  override func indexes(
    ofObjectsAt indexes: IndexSet, options: NSEnumerationOptions = [],
    passingTest isMeant: (Any, Int, UnsafeMutablePointer<ObjCBool>) -> Bool
  ) -> IndexSet {
    refresh()
    return super.indexes(ofObjectsAt: indexes, options: options, passingTest: isMeant)
  }
  override func index(
    of member: Any, inSortedRange range: NSRange, options: NSBinarySearchingOptions = [],
    usingComparator comparator: (Any, Any) -> ComparisonResult
  ) -> Int {
    refresh()
    return super.index(of: member, inSortedRange: range, options: options, usingComparator: comparator)
  }
  override func sortedArray(
    options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
  ) -> [Any] {
    refresh()
    return super.sortedArray(options: options, usingComparator: comparator)
  }

  // Every mutator is overridden, because some of Foundation's would write to the copy, and not to the relationship.

  private func edit(_ change: (inout ContiguousArray<NSManagedObject>) -> Void) {
    let announced = isPrimitive ? nil : object.announceChange(of: property, .members)
    defer { announced?.end() }
    var members = members
    change(&members)
    if isPrimitive { object.setPrimitive(Array(members), property) } else { object.setMembers(members, property) }
    refresh()
  }

  /// Members that are there already stay where they are.
  private func insert(contentsOf new: some Sequence<(index: Int, member: Any)>) {
    var known: Set<ObjectIdentifier> = []
    edit { members in
      for (index, member) in new {
        let member = checked(member)
        if !super.contains(member), known.insert(ObjectIdentifier(member)).inserted {
          members.insert(member, at: Swift.min(index, members.count))
        }
      }
    }
  }

  private func keep(where isKept: (NSManagedObject) -> Bool) { edit { $0.removeAll { !isKept($0) } } }

  override func insert(_ member: Any, at index: Int) {
    insert(contentsOf: CollectionOfOne((index: index, member: member)))
  }
  override func insert(_ objects: [Any], at indexes: IndexSet) {
    insert(contentsOf: zip(indexes, objects).map { (index: $0, member: $1) })
  }
  /// The common way to fill a relationship, so the other members are neither read nor compared.
  override func add(_ member: Any) {
    if isCopying { return super.add(member) }
    let member = checked(member)
    refresh()
    if super.contains(member) { return }
    if isPrimitive {
      object.setPrimitiveMember(member, property, isComing: true)
    } else {
      object.addMember(member, property)
    }
    isCopying = true
    super.insert(member, at: super.count)
    isCopying = false
    copied.append(member)
  }
  override func add(_ objects: UnsafePointer<AnyObject>!, count: Int) {
    addObjects(from: (0..<count).map { objects[$0] })
  }
  override func addObjects(from array: [Any]) {
    insert(contentsOf: array.map { (index: Int.max, member: $0) })
  }
  override func union(_ other: NSOrderedSet) { addObjects(from: other.array) }
  override func unionSet(_ other: Set<AnyHashable>) { addObjects(from: other.map(\.base)) }

  override func removeObject(at index: Int) { edit { $0.remove(at: index) } }
  override func removeObjects(at indexes: IndexSet) {
    edit { for index in indexes.reversed() { $0.remove(at: index) } }
  }
  override func removeObjects(in range: NSRange) { edit { $0.removeSubrange(Range(range)!) } }
  override func removeAllObjects() { edit { $0 = [] } }
  override func remove(_ member: Any) { keep { $0 !== member as AnyObject } }
  override func removeObjects(in array: [Any]) {
    let leaving = Set(array.map { ObjectIdentifier($0 as AnyObject) })
    keep { !leaving.contains(ObjectIdentifier($0)) }
  }
  override func minus(_ other: NSOrderedSet) { keep { !other.contains($0) } }
  override func minusSet(_ other: Set<AnyHashable>) { keep { !other.contains($0) } }
  override func intersect(_ other: NSOrderedSet) { keep { other.contains($0) } }
  override func intersectSet(_ other: Set<AnyHashable>) { keep { other.contains($0) } }

  override func replaceObject(at index: Int, with member: Any) { edit { $0[index] = checked(member) } }
  override func replaceObjects(at indexes: IndexSet, with objects: [Any]) {
    edit { for (index, member) in zip(indexes, objects) { $0[index] = checked(member) } }
  }
  override func replaceObjects(in range: NSRange, with objects: UnsafePointer<AnyObject>!, count: Int) {
    edit { $0.replaceSubrange(Range(range)!, with: (0..<count).map { checked(objects[$0]) }) }
  }
  override func setObject(_ member: Any, at index: Int) {
    if index == count { insert(member, at: index) } else { replaceObject(at: index, with: member) }
  }

  override func exchangeObject(at one: Int, withObjectAt other: Int) { edit { $0.swapAt(one, other) } }
  override func moveObjects(at indexes: IndexSet, to index: Int) {
    edit { members in
      let moved = indexes.map { members[$0] }
      for index in indexes.reversed() { members.remove(at: index) }
      members.insert(contentsOf: moved, at: index)
    }
  }
  override func sort(using descriptors: [NSSortDescriptor]) {
    sort { first, second in
      for descriptor in descriptors {
        let order = descriptor.compare(first, to: second)
        if order != .orderedSame { return order }
      }
      return .orderedSame
    }
  }
  override func sort(comparator: (Any, Any) -> ComparisonResult) {
    sort(options: [], usingComparator: comparator)
  }
  override func sort(options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult) {
    sortRange(NSRange(location: 0, length: count), options: options, usingComparator: comparator)
  }
  override func sortRange(
    _ range: NSRange, options: NSSortOptions = [], usingComparator comparator: (Any, Any) -> ComparisonResult
  ) {
    edit { $0[Range(range)!].sort { comparator($0, $1) == .orderedAscending } }
  }
}
