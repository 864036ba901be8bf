/// To-many relationships: their members, and the ways to change them.
extension NSManagedObject {
  /// The current members, in order if the relationship is ordered.
  final func members(_ property: LayoutProperty) -> ContiguousArray<NSManagedObject> {
    if let members = readableMembers(property) { return members }
    refuseUnreadChange(property)
    return []
  }

  /// The current members, for reading only; nil if they can't be read and the handler lets them read as none.
  final func readableMembers(_ property: LayoutProperty) -> ContiguousArray<NSManagedObject>? {
    let state = toManyState(property)
    if let order = state.order { return order }
    if let used = state.used { return used }
    guard hasCommittedMembers(property, state) else { return nil }
    var members = ContiguousArray<NSManagedObject>()
    members.reserveCapacity(state.base!.count + state.added.count)
    for reference in state.base! where state.removed.isEmpty || !state.removed.contains(reference) {
      members.append(owner.object(for: reference, store: store))
    }
    members.append(contentsOf: state.added)
    return members
  }

  /// How many members there are now, without making objects of them.
  final func memberCount(_ property: LayoutProperty) -> Int {
    let state = toManyState(property)
    if state.order == nil, !hasCommittedMembers(property, state) { refuseUnreadChange(property) }
    return state.count ?? 0
  }

  /// Makes sure that the committed members are known, and reads them if necessary. False if they can't be read.
  final func hasCommittedMembers(_ property: LayoutProperty, _ state: ToManyState) -> Bool {
    if state.base == nil { state.read(owner.members(of: property, in: self)) }
    return state.base != nil
  }

  /// Reads the committed members where the store's error can be thrown, so that afterwards ``members(_:)`` has nothing
  /// to read.
  final func readMembers(_ property: LayoutProperty) throws {
    let state = toManyState(property)
    if state.order == nil, state.base == nil { state.read(try owner.storedMembers(of: property, in: self)) }
  }

  /// Reads the committed members before a change, which needs them.
  final func readCommittedMembers(_ property: LayoutProperty, _ state: ToManyState) {
    if hasCommittedMembers(property, state) { return }
    refuseUnreadChange(property)
    state.base = []
  }

  /// The set that key-value coding returns. It stays the same one until the relationship changes.
  final func handedOutSet(_ property: LayoutProperty) -> AnyObject {
    let state = toManyState(property)
    if let set = state.handedOut { return set }
    let members = readableMembers(property)
    let objects: [AnyObject] = Array(members ?? [])
    let set: AnyObject =
      property.isOrdered
      ? NSOrderedSet(objects: objects, count: objects.count) : NSSet(objects: objects, count: objects.count)
    if members != nil { state.handOut(set) }
    return set
  }

  /// The members of an unordered relationship, without a set of Foundation's; nil for any other property.
  @usableFromInline
  final func storedMembers(_ key: ManagedKey) -> ContiguousArray<NSManagedObject>? {
    fireIfNeeded(call: "reading \"\(key.name)\"")
    guard let property = layout.property(key) else { misuseUnknownKey(key) }
    guard property.kind == .toMany, !property.isOrdered else { return nil }
    guard let members = readableMembers(property) else { return [] }
    let state = toManyState(property)
    if state.used == nil { state.use(members) }
    return members
  }

  final func contains(_ member: NSManagedObject, _ property: LayoutProperty) -> Bool {
    // With a to-one inverse the member itself knows the answer, and no row has to be read. A deleted one keeps where it
    // led.
    if let inverse = property.inverse, inverse.kind == .toOne, member.state.isDisjoint(with: [.fault, .deleted]),
      let own = member.layout.property(named: inverse.name)
    {
      return member.toOne(own) === self
    }
    let state = toManyState(property)
    if state.isAdded(member) { return true }
    if state.removed.contains(member.reference) { return false }
    if state.base == nil, let isMember = isCommittedMember(member, of: property, state) { return isMember }
    readCommittedMembers(property, state)
    return state.isInBase(member.reference)
  }

  /// Whether two objects are linked in the store by a many-to-many relationship, asked of the one with few links: a tag
  /// of a hundred thousand photos is not read to add one. Nil if neither has few, or if so many were asked for that
  /// reading all is cheaper.
  private func isCommittedMember(
    _ member: NSManagedObject, of property: LayoutProperty, _ state: ToManyState
  ) -> Bool? {
    guard let inverse = property.inverse, inverse.kind == .toMany, state.questions < 32,
      member.owner === owner, let own = member.layout.property(named: inverse.name)
    else { return nil }
    let other = member.toManyState(own)
    if other.base == nil {
      if state.questions == 0, let few = owner.fewMembers(of: property, in: self, atMost: 8) {
        state.read(few)
        return state.isInBase(member.reference)
      }
      state.questions += 1
      guard let few = owner.fewMembers(of: own, in: member, atMost: 32) else {
        state.questions = .max
        return nil
      }
      other.read(few)
    }
    return other.isInBase(reference)
  }

  final func addMember(_ member: NSManagedObject, _ property: LayoutProperty) {
    if !contains(member, property) { connect(member, property) }
  }

  final func removeMember(_ member: NSManagedObject, _ property: LayoutProperty) {
    if contains(member, property) { disconnect(member, property) }
  }

  /// Makes the members exactly these; for an ordered relationship, in this order. New members of an unordered one come
  /// in this order behind the others.
  ///
  /// - Parameter isSet: whether no member is given twice. If nil, only an ordered relationship may be given one so.
  final func setMembers(
    _ members: ContiguousArray<NSManagedObject>, _ property: LayoutProperty, isSet: Bool? = nil
  ) {
    let announced = announceChange(of: property)
    defer { announced?.end() }
    let isSet = isSet ?? !property.isOrdered
    let edit = MemberEdit(from: self.members(property), to: members) { !isSet && contains($0, property) }
    let leaving = edit.leaving
    let replacesOrder = leaving.count > 8 && toManyState(property).order != nil
    if replacesOrder {
      // The new order replaces the old one at the end, so members that leave needn't be removed from the old one.
      noteChange()
      toManyState(property).discardOrder()
    }
    for member in leaving { disconnect(member, property) }
    let parted = edit.entering.filter { !connect($0, property) }
    guard property.isOrdered else { return }
    let result = parted.isEmpty ? edit.result : edit.result.filter { member in !parted.contains { $0 === member } }
    let isInOrder = replacesOrder ? result.elementsEqual(self.members(property), by: ===) : edit.keepsOrder
    if !isInOrder {
      noteChange()
      toManyState(property).reorder(result)
    }
    // The next change of a position begins with these.
    toManyState(property).use(result)
  }

  /// Orders the members as some objects are, of which those that are no members are passed over. The members that are
  /// not among them follow, in the order that they have.
  final func orderMembers(_ order: some Sequence<NSManagedObject>, _ property: LayoutProperty) {
    let members = members(property)
    let present = Set(members.map(ObjectIdentifier.init))
    let first = ContiguousArray(order.filter { present.contains(ObjectIdentifier($0)) })
    let known = Set(first.map(ObjectIdentifier.init))
    setMembers(first + members.filter { !known.contains(ObjectIdentifier($0)) }, property)
  }

  private func toManyProperty(_ key: ManagedKey) -> LayoutProperty {
    beginChange(call: "changing \"\(key.name)\"")
    guard let property = layout.property(key) else { misuse(.unknownKey(key.name, self)) }
    guard property.kind == .toMany else { misuse(.wrongType(key.name, object: self, wanted: "a to-many relationship")) }
    return property
  }

  /// Applies a change of positions to an ordered relationship.
  private func edit(_ key: ManagedKey, _ change: (inout ContiguousArray<NSManagedObject>) -> Void) {
    let property = toManyProperty(key)
    let announced = announceChange(of: property, .members)
    var members = members(property)
    change(&members)
    setMembers(members, property)
    announced?.end()
  }

  // Lists of members, for SwiftData, which shows an unordered relationship as an array.

  /// The members of an unordered relationship: those in the store by their keys, then new ones in the order in which
  /// they came. After a save they stay in this order as long as the members are not read again.
  package final func memberList(_ key: ManagedKey) -> ContiguousArray<NSManagedObject> { storedMembers(key) ?? [] }

  /// Makes the members exactly these. New ones come in their order; one that is given twice counts once.
  package final func setMemberList(_ members: ContiguousArray<NSManagedObject>, _ key: ManagedKey) {
    setMembers(members, toManyProperty(key), isSet: false)
  }

  /// Makes each of the objects a member, in their order.
  package final func addMemberList(_ members: ContiguousArray<NSManagedObject>, _ key: ManagedKey) {
    addAll(Array(members), key)
  }

  // The methods that accessors of generated classes call.

  /// Makes an object a member of a to-many relationship, and sets the inverse. Nothing happens if it is a member
  /// already.
  public final func addManagedMember(_ member: NSManagedObject, _ key: ManagedKey) {
    addMember(member, toManyProperty(key))
  }

  /// Removes an object from a to-many relationship, and from the inverse. Nothing happens if it is not a member.
  public final func removeManagedMember(_ member: NSManagedObject, _ key: ManagedKey) {
    removeMember(member, toManyProperty(key))
  }

  /// Makes each of the objects a member.
  public final func addManagedMembers(_ members: NSSet, _ key: ManagedKey) {
    addAll(members.allObjects, key)
  }

  /// Makes each of the objects a member, in their order where the relationship is ordered.
  public final func addManagedMembers(_ members: NSOrderedSet, _ key: ManagedKey) {
    addAll(members.array, key)
  }

  /// Makes each of the objects a member.
  public final func addManagedMembers<Member: NSManagedObject>(_ members: Set<Member>, _ key: ManagedKey) {
    addAll(Array(members), key)
  }

  /// Removes each of the objects.
  public final func removeManagedMembers(_ members: NSSet, _ key: ManagedKey) {
    removeAll(members.allObjects, key)
  }

  /// Removes each of the objects.
  public final func removeManagedMembers(_ members: NSOrderedSet, _ key: ManagedKey) {
    removeAll(members.array, key)
  }

  /// Removes each of the objects.
  public final func removeManagedMembers<Member: NSManagedObject>(_ members: Set<Member>, _ key: ManagedKey) {
    removeAll(Array(members), key)
  }

  /// Puts an object at a position of an ordered relationship; nothing happens if it is a member.
  public final func insertManagedMember(_ member: NSManagedObject, at index: Int, _ key: ManagedKey) {
    if contains(member, toManyProperty(key)) { return }
    edit(key) { $0.insert(member, at: index) }
  }

  /// Removes the member at a position of an ordered relationship.
  public final func removeManagedMember(at index: Int, _ key: ManagedKey) {
    edit(key) { $0.remove(at: index) }
  }

  /// Puts objects at positions of an ordered relationship, one for each index, in ascending order. Objects that are
  /// members already stay where they are.
  public final func insertManagedMembers(_ inserted: [NSManagedObject], at indexes: NSIndexSet, _ key: ManagedKey) {
    edit(key) { members in
      var known = Set(members.map(ObjectIdentifier.init))
      for (member, index) in zip(inserted, indexes as IndexSet) {
        if known.insert(ObjectIdentifier(member)).inserted { members.insert(member, at: index) }
      }
    }
  }

  /// Removes the members at positions of an ordered relationship.
  public final func removeManagedMembers(at indexes: NSIndexSet, _ key: ManagedKey) {
    edit(key) { members in
      for index in (indexes as IndexSet).reversed() { members.remove(at: index) }
    }
  }

  /// Replaces the member at a position by an object.
  public final func replaceManagedMember(at index: Int, with member: NSManagedObject, _ key: ManagedKey) {
    edit(key) { $0[index] = member }
  }

  /// Replaces the members at positions by objects, one for each index, in ascending order.
  public final func replaceManagedMembers(
    at indexes: NSIndexSet, with replacements: [NSManagedObject], _ key: ManagedKey
  ) {
    edit(key) { members in
      for (index, member) in zip(indexes as IndexSet, replacements) { members[index] = member }
    }
  }

  private func addAll(_ members: [Any], _ key: ManagedKey) {
    let property = toManyProperty(key)
    let announced = announceChange(of: property, .members)
    for case let member as NSManagedObject in members { addMember(member, property) }
    announced?.end()
  }

  private func removeAll(_ members: [Any], _ key: ManagedKey) {
    let property = toManyProperty(key)
    let announced = announceChange(of: property, .members)
    for case let member as NSManagedObject in members { removeMember(member, property) }
    announced?.end()
  }

  /// ``hasFault(forRelationshipNamed:)``.
  final func isUnread(relationship key: String) -> Bool {
    guard let property = layout.property(named: key), property.isRelationship else { return false }
    if state.contains(.fault) { return true }
    if property.kind == .toOne { return toOne(property)?.isFault ?? false }
    guard let state = knownState(of: property) else { return true }
    return state.base == nil && state.order == nil
  }

  /// ``objectIDs(forRelationshipNamed:)``.
  final func ids(relationship key: String) -> [NSManagedObjectID] {
    fireIfNeeded(call: "objectIDs(forRelationshipNamed: \"\(key)\")")
    guard let property = layout.property(named: key), property.isRelationship else {
      misuse(.unknownKey(key, self))
    }
    if property.kind == .toOne { return toOne(property).map { [$0.objectID] } ?? [] }
    return readableMembers(property)?.map(\.objectID) ?? []
  }
}
