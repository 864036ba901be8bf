extension NSManagedObject {
  /// A set that changes the relationship when it is changed, inverses included.
  public final func mutableSetValue(forKey key: String) -> NSMutableSet {
    guard let property = layout.property(named: key), property.kind == .toMany else {
      misuse(.wrongType(key, self, "a to-many relationship"))
    }
    return MutableMemberSet(self, property)
  }

  /// An ordered set that changes the relationship when it is changed, inverses included.
  public final func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    guard let property = layout.property(named: key), property.kind == .toMany else {
      misuse(.wrongType(key, self, "an ordered to-many relationship"))
    }
    return MutableMemberOrderedSet(self, property)
  }
}

/// The live members of an unordered relationship.
private final class MutableMemberSet: NSMutableSet {
  private let object: NSManagedObject
  private let property: LayoutProperty

  init(_ object: NSManagedObject, _ property: LayoutProperty) {
    self.object = object
    self.property = property
    super.init(capacity: 0)
  }

  required convenience init(capacity: Int) { fatalError("A relationship's set is made by its object only.") }
  required init?(coder: NSCoder) { fatalError("A relationship's set cannot be archived.") }

  private var members: ContiguousArray<NSManagedObject> {
    object.fireIfNeeded(call: "reading \"\(property.name)\"")
    return object.members(property)
  }

  override var count: Int { members.count }
  override func member(_ object: Any) -> Any? { members.first { $0 === object as AnyObject } }
  override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(members)).objectEnumerator() }
  override var allObjects: [Any] { Array(members) }

  override func add(_ member: Any) {
    object.fireIfNeeded(call: "changing \"\(property.name)\"")
    guard let member = member as? NSManagedObject else {
      misuse(.unacceptable(member, property, of: object.layout))
    }
    object.addMember(member, property)
  }

  override func remove(_ member: Any) {
    object.fireIfNeeded(call: "changing \"\(property.name)\"")
    if let member = member as? NSManagedObject { object.removeMember(member, property) }
  }
}

/// The live members of an ordered relationship.
private final class MutableMemberOrderedSet: NSMutableOrderedSet {
  private let object: NSManagedObject
  private let property: LayoutProperty

  init(_ object: NSManagedObject, _ property: LayoutProperty) {
    self.object = object
    self.property = property
    super.init(capacity: 0)
  }

  required override init(capacity: Int) { fatalError("A relationship's set is made by its object only.") }
  required init?(coder: NSCoder) { fatalError("A relationship's set cannot be archived.") }
  required convenience init(arrayLiteral elements: Any...) {
    fatalError("A relationship's set is made by its object only.")
  }

  private var members: ContiguousArray<NSManagedObject> {
    object.fireIfNeeded(call: "reading \"\(property.name)\"")
    return object.members(property)
  }

  private func checked(_ member: Any) -> NSManagedObject {
    guard let member = member as? NSManagedObject else {
      misuse(.unacceptable(member, property, of: object.layout))
    }
    return member
  }

  override var count: Int { members.count }
  override func object(at index: Int) -> Any { members[index] }
  override func index(of member: Any) -> Int {
    members.firstIndex { $0 === member as AnyObject } ?? NSNotFound
  }

  override func insert(_ member: Any, at index: Int) {
    var members = members
    if members.contains(where: { $0 === member as AnyObject }) { return }
    members.insert(checked(member), at: index)
    object.setMembers(members, property)
  }

  override func removeObject(at index: Int) {
    var members = members
    members.remove(at: index)
    object.setMembers(members, property)
  }

  override func replaceObject(at index: Int, with member: Any) {
    var members = members
    members[index] = checked(member)
    object.setMembers(members, property)
  }

  override func add(_ member: Any) { insert(member, at: count) }
  override func remove(_ member: Any) {
    let index = index(of: member)
    if index != NSNotFound { removeObject(at: index) }
  }
}
