/// Both ends of a relationship change together.
///
/// Invariant 3: with an inverse, a is in b.r exactly when b is in a.inverse(r).
///
/// If the inverse does not name the relationship in turn, it works in one direction: changing the relationship also
/// changes the inverse, as if the program had set it, but changing the inverse leaves the relationship alone.
///
/// From the program's change inwards:
///
///     setToOne, connect, disconnect   both ends; the program has asked for it here
///         gain, lose                  one end of either kind, because the other end has changed
///             enter, leave            the members of one to-many end; nothing follows
extension NSManagedObject {
  final func toManyState(_ property: LayoutProperty) -> ToManyState {
    if let state = knownState(of: property) { return state }
    toManyStates.grow(to: layout.toMany.count)
    let made = ToManyState(base: key < 0 && row == nil && !state.contains(.fault) ? [] : nil)
    toManyStates[property.toManyIndex] = made
    return made
  }

  /// Sets the destination of a to-one relationship, and updates the old and the new destination.
  final func setToOne(_ destination: NSManagedObject?, _ property: LayoutProperty) {
    if let destination {
      if isParted(from: destination, property) { return }
      check(destination, property)
    }
    if !owner.announcedDestinations.isEmpty { noteSetDestination(destination, property) }
    let announced = announceChange(of: property)
    defer { announced?.end() }
    let previous = toOne(property)
    write(destination: destination, slot: property.slot)
    if previous !== destination { tellOtherEnds(of: property, from: previous, to: destination) }
  }

  /// Updates the old and the new destination of a to-one relationship.
  final func tellOtherEnds(
    of property: LayoutProperty, from previous: NSManagedObject?, to destination: NSManagedObject?
  ) {
    guard let inverse = property.inverse else {
      if property.oneSidedInverse == nil { return }
      if let previous { leaveOneSidedInverse(of: property, in: previous) }
      if let destination { enterOneSidedInverse(of: property, in: destination) }
      return
    }
    previous?.lose(self, inverse)
    destination?.gain(self, inverse)
  }

  /// For those who follow changes that no program has asked for.
  private final func tellOfInverse(_ property: LayoutProperty) {
    if let follower = owner.inverseFollower { follower(self, property) }
  }

  /// Makes the inverse of `destination` lead here, if there is one.
  final func enterOneSidedInverse(of property: LayoutProperty, in destination: NSManagedObject) {
    guard let inverse = property.oneSidedInverse, inverse.destinations.contains(layout.index) else { return }
    let own = destination.ownProperty(inverse)
    destination.readForChange()
    if own.kind == .toOne { destination.setToOne(self, own) } else { destination.addMember(self, own) }
    destination.tellOfInverse(own)
  }

  /// Makes the inverse of `destination` no longer lead here.
  final func leaveOneSidedInverse(of property: LayoutProperty, in destination: NSManagedObject) {
    guard let inverse = property.oneSidedInverse, destination.leads(to: self, inverse) else { return }
    let own = destination.ownProperty(inverse)
    if own.kind == .toOne { destination.setToOne(nil, own) } else { destination.removeMember(self, own) }
    destination.tellOfInverse(own)
  }

  /// Adds `object` to this relationship, because the other side now leads here.
  final func gain(_ object: NSManagedObject, _ property: LayoutProperty) {
    let property = ownProperty(property)
    if property.kind == .toMany {
      enter(object, property)
      tellOfInverse(property)
      return
    }
    // What this one led to before lets it go.
    readForChange()
    let previous = toOne(property)
    write(.object(object), slot: property.slot)
    tellOfInverse(property)
    if let previous, previous !== object, let inverse = property.inverse {
      previous.lose(self, inverse)
    }
  }

  /// Removes `object` from this relationship, because the other side no longer leads here.
  final func lose(_ object: NSManagedObject, _ property: LayoutProperty) {
    let property = ownProperty(property)
    if property.kind == .toMany {
      leave(object, property)
      tellOfInverse(property)
      return
    }
    readForChange()
    if toOne(property) === object {
      write(.null, slot: property.slot)
      tellOfInverse(property)
    }
  }

  /// Records a member. In an ordered relationship it goes to the end, even if it was elsewhere before.
  private final func enter(_ member: NSManagedObject, _ property: LayoutProperty) {
    let announced = announceChange(of: property, .member(member, isComing: true))
    defer { announced?.end() }
    noteChange()
    let state = toManyState(property)
    // The members may have been read later than the other end, when the store had this one already.
    if state.base?.isEmpty == false, member.key > 0, !state.removed.contains(member.reference),
      state.isInBase(member.reference)
    {
      return
    }
    if property.isOrdered, state.order == nil, state.removed.contains(member.reference) {
      state.reorder(members(property))
    }
    state.add(member)
  }

  /// Records that a member is none any more.
  private final func leave(_ member: NSManagedObject, _ property: LayoutProperty) {
    let announced = announceChange(of: property, .member(member, isComing: false))
    noteChange()
    toManyState(property).remove(member)
    announced?.end()
  }

  /// Whether the relationship leads to an object.
  final func leads(to other: NSManagedObject, _ property: LayoutProperty) -> Bool {
    let property = ownProperty(property)
    readForChange()
    return property.kind == .toOne ? toOne(property) === other : contains(other, property)
  }

  /// An inherited property as this object's own entity has it.
  private final func ownProperty(_ property: LayoutProperty) -> LayoutProperty {
    places.property(keyNumber: property.keyNumber)?.takeUnretainedValue() ?? property
  }

  /// Adds a member that is not in the relationship. False if the two have to stay apart.
  @discardableResult
  final func connect(_ member: NSManagedObject, _ property: LayoutProperty) -> Bool {
    if isParted(from: member, property) { return false }
    check(member, property)
    let announced = announceChange(of: property, .member(member, isComing: true))
    defer { announced?.end() }
    enter(member, property)
    toManyState(property).isUsed = true
    if let inverse = property.inverse, !isBothEnds(member, property: property, inverse: inverse) {
      member.gain(self, inverse)
    } else if property.oneSidedInverse != nil {
      enterOneSidedInverse(of: property, in: member)
    }
    return true
  }

  /// A relationship that is its own inverse may lead from an object to itself. Then both ends are the same.
  private final func isBothEnds(
    _ member: NSManagedObject, property: LayoutProperty, inverse: LayoutProperty
  ) -> Bool {
    member === self && inverse.keyNumber == property.keyNumber
  }

  /// Removes a member that is in the relationship.
  final func disconnect(_ member: NSManagedObject, _ property: LayoutProperty) {
    let announced = announceChange(of: property, .member(member, isComing: false))
    defer { announced?.end() }
    leave(member, property)
    if let inverse = property.inverse, !isBothEnds(member, property: property, inverse: inverse) {
      member.lose(self, inverse)
    } else if property.oneSidedInverse != nil {
      leaveOneSidedInverse(of: property, in: member)
    }
  }

  /// Undoes the changes of a relationship since the row was read, on both sides.
  final func revert(_ property: LayoutProperty) {
    let inverse = property.inverse
    if property.kind == .toOne {
      guard let changes, changes.holds(property.slot) else { return }
      let current = toOne(property)
      changes.drop(property.slot)
      let committed = toOne(property)
      if let inverse, current !== committed {
        current?.revertMember(self, inverse)
        committed?.revertMember(self, inverse)
      }
      return
    }
    guard let state = knownState(of: property) else { return }
    if let inverse {
      for member in state.added { member.revertMember(self, inverse) }
      for reference in state.removed { owner.object(for: reference, store: store).revertMember(self, inverse) }
    }
    state.discardChanges(keepingBase: false)
  }

  /// The objects that a relationship of either kind leads to.
  final func destinations(of property: LayoutProperty) -> ContiguousArray<NSManagedObject> {
    if property.kind == .toMany { return members(property) }
    return toOne(property).map { [$0] } ?? []
  }

  /// Puts this object, which was deleted, back into the relationships that lead to it.
  final func revertNullification() {
    for property in layout.relationships {
      guard let inverse = property.inverse else { continue }
      for destination in destinations(of: property) { destination.revertMember(self, inverse) }
    }
  }

  /// Undoes that `object` was added or removed, because the other side does.
  private final func revertMember(_ object: NSManagedObject, _ property: LayoutProperty) {
    let property = ownProperty(property)
    let announced = announceChange(of: property, .members)
    defer { announced?.end() }
    if property.kind == .toOne {
      guard let changes, changes.holds(property.slot) else { return }
      let current = toOne(property)
      changes.drop(property.slot)
      // It may have come from a third object, or gone to one, which has to agree as well.
      guard let inverse = property.inverse, case let committed = toOne(property), current !== committed
      else { return }
      for other in [current, committed] where other !== object { other?.revertMember(self, inverse) }
    } else {
      knownState(of: property)?.revert(object)
    }
  }

  /// Drops objects whose rows are gone, since unsaved changes must not lead to them.
  final func forget(_ lost: LostObjects) {
    let announced = announceChanges(.anything)
    defer { announced?.end() }
    for case let state? in toManyStates where state.isChanged {
      state.removeMembers(lost, references: lost.references(inStore: store))
    }
    guard let changes else { return }
    for property in layout.slots where property.kind == .toOne && changes.holds(property.slot) {
      guard case .object(let held) = changes[property.slot], lost.contains(held) else { continue }
      if changedSlots.contains(property.slot) { changes[property.slot] = .null } else { changes.drop(property.slot) }
    }
  }

  /// Whether one of two objects of one context has left it because its row was deleted elsewhere. Then they stay apart.
  private final func isParted(from other: NSManagedObject, _ property: LayoutProperty) -> Bool {
    if owner === other.owner || (owner.former ?? owner) !== (other.owner.former ?? other.owner) { return false }
    warn(.deletedElsewhere(self, key: property.name, other: other))
    return true
  }

  final func check(_ destination: NSManagedObject, _ property: LayoutProperty) {
    if destination.owner !== owner, !isFree(like: destination) {
      misuse(.otherContext(self, key: property.name, other: destination))
    }
    if !property.destinations.contains(destination.places.entity) {
      misuse(.wrongEntity(self, property: property, other: destination))
    }
  }

  /// Whether both objects are new ones of one model that no context has. They may be related, and go into a context
  /// together.
  private final func isFree(like other: NSManagedObject) -> Bool {
    isFree && other.isFree && owner.layouts === other.owner.layouts
  }

  /// Whether the object was never saved, not to a parent either, and is in no context.
  final var isFree: Bool {
    !owner.hasContext && owner.former == nil && key < 0 && row == nil && !owner.isOfDeleted
  }

  /// The object, and all others in no context that relationships lead to from it.
  final var freeCompany: ContiguousArray<NSManagedObject> {
    var company: ContiguousArray = [self]
    var known: Set = [ObjectIdentifier(self)]
    var next = 0
    while next < company.count {
      let object = company[next]
      next += 1
      for property in object.layout.relationships {
        for other in object.destinations(of: property)
        where other.isFree && known.insert(ObjectIdentifier(other)).inserted { company.append(other) }
      }
    }
    return company
  }

  /// Takes this object out of every relationship that leads to it over `property`: for delete rules.
  final func nullify(_ property: LayoutProperty) {
    guard let inverse = property.inverse else {
      if property.oneSidedInverse == nil { return }
      for destination in destinations(of: property) { leaveOneSidedInverse(of: property, in: destination) }
      return
    }
    // Not by `destinations(of:)`, whose array the count of `delete` shows.
    if property.kind == .toOne {
      toOne(property)?.lose(self, inverse)
    } else {
      for member in members(property) { member.lose(self, inverse) }
    }
  }
}

/// Objects whose rows are gone, looked up for each relationship that may lead to one.
struct LostObjects {
  private let identities: Set<ObjectIdentifier>
  private var references: [UInt16: Set<RowReference>] = [:]

  init(_ objects: ContiguousArray<NSManagedObject>) {
    identities = Set(objects.lazy.map(ObjectIdentifier.init))
    for object in objects { references[object.store, default: []].insert(object.reference) }
  }

  func contains(_ object: AnyObject) -> Bool { identities.contains(ObjectIdentifier(object)) }

  /// Relationships don't leave their store.
  func references(inStore store: UInt16) -> Set<RowReference> { references[store] ?? [] }
}
