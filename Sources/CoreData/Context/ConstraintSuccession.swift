/// A new object that goes because of a uniqueness constraint, and the object that has its value from then on.
struct ConstraintSuccession {
  let former: NSManagedObject
  let keeper: NSManagedObject
  /// Whether the keeper takes all values, those that were never set included. It keeps its own members in any case.
  var takesValues = false

  init(of former: NSManagedObject, by keeper: NSManagedObject) {
    self.former = former
    self.keeper = keeper
  }

  var isByNew: Bool { keeper.state.contains(.inserted) }

  /// Reads the members that the keeper has in the relationships in which it will get some.
  func readMembers() throws {
    for property in former.layout.toMany where !former.members(property).isEmpty {
      if let own = keeper.layout.property(named: property.name), own.kind == .toMany { try keeper.readMembers(own) }
    }
  }

  /// Hands over what the former object is related to. The two may be of different subentities; properties that only
  /// one of them has are left out.
  ///
  /// - Parameters:
  ///   - newOnly: Whether stored objects are left to the former one.
  ///   - leaving: All new objects that go. A stored keeper that keeps its values takes none of them, to stay unchanged.
  func takeOver(newOnly: Bool, _ leaving: Set<ObjectIdentifier>) {
    for property in former.layout.slots {
      guard let own = keeper.layout.property(named: property.name), own.slot >= 0 else { continue }
      if property.kind == .toOne {
        takeDestination(of: property, to: own, newOnly: newOnly)
      } else if takesValues {
        keeper.setBoxed(former.boxedValue(property), own)
      }
    }
    for property in former.layout.toMany {
      guard let own = keeper.layout.property(named: property.name), own.kind == .toMany else { continue }
      for member in former.members(property)
      where member !== keeper && member !== former && isTaken(member, by: own, newOnly: newOnly) {
        if newOnly, !isByNew, leaving.contains(ObjectIdentifier(member)) { continue }
        hand(member, from: property, to: own)
      }
    }
  }

  private func isTaken(_ object: NSManagedObject, by own: LayoutProperty, newOnly: Bool) -> Bool {
    !object.state.contains(.deleted) && (!newOnly || object.state.contains(.inserted))
      && own.destinations.contains(object.places.entity)
  }

  private func takeDestination(of property: LayoutProperty, to own: LayoutProperty, newOnly: Bool) {
    guard own.kind == .toOne else { return }
    guard let destination = former.toOne(property), !destination.state.contains(.deleted) else {
      if takesValues { keeper.setToOne(nil, own) }
      return
    }
    if destination === former || destination === keeper {
      if takesValues { keeper.setToOne(keeper, own) }
    } else if takesValues || isByNew && keeper.toOne(own) == nil, isTaken(destination, by: own, newOnly: newOnly) {
      hand(destination, from: property, to: own)
    }
  }

  /// Makes the keeper lead to a destination of the former object, which no longer leads there: its delete rules must
  /// not reach what has moved. Among the ordered members of a new destination the keeper takes the former one's place.
  private func hand(_ destination: NSManagedObject, from property: LayoutProperty, to own: LayoutProperty) {
    let order = order(in: destination, property.inverse)
    if own.kind == .toOne { keeper.setToOne(destination, own) } else { keeper.addMember(destination, own) }
    if property.kind == .toOne { former.setToOne(nil, property) } else { former.removeMember(destination, property) }
    if let (members, inverse) = order { destination.setMembers(members, inverse) }
  }

  /// The members of a destination's ordered relationship, with the keeper in place of the former object.
  private func order(
    in destination: NSManagedObject, _ inverse: LayoutProperty?
  ) -> (ContiguousArray<NSManagedObject>, LayoutProperty)? {
    guard let inverse, inverse.isOrdered, destination.state.contains(.inserted),
      let own = destination.layout.property(keyNumber: inverse.keyNumber),
      own.destinations.contains(keeper.places.entity)
    else { return nil }
    var members = destination.members(own)
    guard let place = members.firstIndex(where: { $0 === former }) else { return nil }
    if members.contains(where: { $0 === keeper }) { members.remove(at: place) } else { members[place] = keeper }
    return (members, own)
  }
}

/// Relationships that lead to new objects that go, and of which those know nothing, since there is no inverse.
struct OneWayReferences {
  private var keepers: [ObjectIdentifier: NSManagedObject] = [:]
  private var places: [(object: NSManagedObject, property: LayoutProperty)] = []

  /// Finds where there may be some among the objects to be saved, and reads the members there.
  init(to successions: [ConstraintSuccession], fromNewOnly: Bool) throws {
    guard let context = successions.first?.former.managedObjectContext else { return }
    let entities = Set(successions.map { $0.former.places.entity })
    let oneWay = context.owner.layouts.layouts.map { layout in
      layout.relationships.filter { property in
        property.inverse == nil && entities.contains { property.destinations.contains($0) }
      }
    }
    if oneWay.allSatisfy(\.isEmpty) { return }
    for succession in successions { keepers[ObjectIdentifier(succession.former)] = succession.keeper }
    let wanted: ObjectState = fromNewOnly ? .inserted : .pending
    let objects = context.ledger.pendingObjects {
      !$0.state.isDisjoint(with: wanted) && !$0.state.contains(.deleted)
    }
    for object in objects {
      for property in oneWay[object.places.entity] {
        if property.kind == .toMany {
          guard object.knownState(of: property)?.isChanged == true else { continue }
          try object.readMembers(property)
        }
        places.append((object, property))
      }
    }
  }

  /// Makes them lead to the objects that stay.
  func redirect() {
    for (object, property) in places {
      if property.kind == .toOne {
        guard let changes = object.changes, changes.holds(property.slot),
          case .object(let held) = changes[property.slot], let keeper = keeper(of: held, property)
        else { continue }
        object.setToOne(keeper, property)
      } else if object.knownState(of: property)?.added.contains(where: { keeper(of: $0, property) != nil }) == true {
        var seen: Set<ObjectIdentifier> = []
        let members = object.members(property).map { keeper(of: $0, property) ?? $0 }
        object.setMembers(
          ContiguousArray(members.filter { seen.insert(ObjectIdentifier($0)).inserted }), property)
      }
    }
  }

  private func keeper(of object: AnyObject, _ property: LayoutProperty) -> NSManagedObject? {
    guard let keeper = keepers[ObjectIdentifier(object)] else { return nil }
    return property.destinations.contains(keeper.places.entity) ? keeper : nil
  }
}
