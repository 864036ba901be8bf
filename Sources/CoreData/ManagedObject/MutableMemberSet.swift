/// The live members of an unordered relationship.
class MutableMemberSet: NSMutableSet {
  final let object: NSManagedObject
  final let property: LayoutProperty

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
  override func member(_ candidate: Any) -> Any? {
    guard let member = candidate as? NSManagedObject, member.owner === object.owner,
      property.destinations.contains(member.layout.index)
    else { return nil }
    object.fireIfNeeded(call: "reading \"\(property.name)\"")
    return object.contains(member, property) ? member : nil
  }
  override func objectEnumerator() -> NSEnumerator { NSArray(array: Array(members)).objectEnumerator() }
  override var allObjects: [Any] { Array(members) }

  override func add(_ member: Any) {
    object.beginChange(call: "changing \"\(property.name)\"")
    guard let member = member as? NSManagedObject else {
      misuse(.unacceptable(member, property, of: object.layout))
    }
    change(member, isComing: true)
  }

  override func remove(_ member: Any) {
    object.beginChange(call: "changing \"\(property.name)\"")
    if let member = member as? NSManagedObject { change(member, isComing: false) }
  }

  // Foundation reads a storage of its own here, which is empty in a subclass.

  override var description: String { description(withLocale: nil) }
  override func description(withLocale locale: Locale?) -> String {
    NSSet(array: allObjects).description(withLocale: locale)
  }

  override func isEqual(_ other: Any?) -> Bool {
    if let other = other as? NSSet { return self === other || isEqual(toMembersOf: other) }
    return (other as? Set<AnyHashable>).map(isEqual(to:)) ?? false
  }
  override var hash: Int { count }

  private func isEqual(toMembersOf other: NSSet) -> Bool {
    let members = members
    return members.count == other.count && members.allSatisfy(other.contains)
  }

  /// Adds or removes an object, and updates the inverse.
  func change(_ member: NSManagedObject, isComing: Bool) {
    if isComing { object.addMember(member, property) } else { object.removeMember(member, property) }
  }
}
