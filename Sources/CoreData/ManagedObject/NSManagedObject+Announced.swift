/// Changes of members that a hand-written accessor announces.
extension NSManagedObject {
  /// Keeps what a relationship leads to before an announced change, because a primitive accessor may change it before
  /// the change ends.
  final func announceMutation(forKey key: String) {
    guard let property = layout.property(named: key) else { return }
    if property.kind == .toMany {
      toManyState(property).announced = members(property)
    } else if property.kind == .toOne {
      owner.announcedDestinations.append(
        AnnouncedDestination(object: self, slot: property.slot, former: toOne(property)))
    }
  }

  /// Makes the other ends of a relationship of either kind agree with where it leads, if that was announced.
  final func adoptChange(forKey key: String) {
    guard let property = layout.property(named: key) else { return }
    if property.kind == .toMany {
      if knownState(of: property)?.announced != nil { adoptMembers(forKey: key) }
      return
    }
    let announced = owner.announcedDestinations
    guard property.kind == .toOne,
      let place = announced.lastIndex(where: { $0.object === self && $0.slot == property.slot })
    else { return }
    owner.announcedDestinations.remove(at: place)
    let (former, now) = (announced[place].former, toOne(property))
    guard former !== now else { return }
    if let now { check(now, property) }
    tellOtherEnds(of: property, from: former, to: now)
  }

  /// A setter has done for an announced change what its end would do.
  @inline(never)
  final func noteSetDestination(_ destination: NSManagedObject?, _ property: LayoutProperty) {
    for place in owner.announcedDestinations.indices
    where owner.announcedDestinations[place].object === self && owner.announcedDestinations[place].slot == property.slot
    {
      owner.announcedDestinations[place].former = destination
    }
  }

  /// Makes the other ends of a relationship agree with its members, which have changed since
  /// ``announceMutation(forKey:)``.
  final func adoptMembers(forKey key: String) {
    guard let property = layout.property(named: key), property.kind == .toMany else { return }
    let state = toManyState(property)
    let (before, now) = (state.announced ?? [], members(property))
    state.announced = nil
    let inverse = property.inverse
    let (had, has) = (Set(before.map(ObjectIdentifier.init)), Set(now.map(ObjectIdentifier.init)))
    for member in now where !had.contains(ObjectIdentifier(member)) {
      check(member, property)
      if let inverse {
        if !member.leads(to: self, inverse) { member.gain(self, inverse) }
      } else if property.oneSidedInverse != nil {
        enterOneSidedInverse(of: property, in: member)
      }
    }
    for member in before where !has.contains(ObjectIdentifier(member)) {
      if let inverse {
        if member.leads(to: self, inverse) { member.lose(self, inverse) }
      } else if property.oneSidedInverse != nil {
        leaveOneSidedInverse(of: property, in: member)
      }
    }
  }

  /// Makes both ends of a relationship agree with an announced change. What agrees already stays.
  final func adoptMutation(_ mutation: NSKeyValueSetMutationKind, _ objects: Set<AnyHashable>, forKey key: String) {
    guard let property = layout.property(named: key) else { return }
    guard property.kind == .toMany else { misuse(.wrongType(key, object: self, wanted: "a to-many relationship")) }
    let announced = objects.compactMap { $0.base as? NSManagedObject }
    let state = toManyState(property)
    let before = state.announced ?? members(property)
    state.announced = nil
    let members = members(property)
    let (coming, going): ([NSManagedObject], [NSManagedObject])
    switch mutation {
    case .union: (coming, going) = (announced, [])
    case .minus: (coming, going) = ([], announced)
    case .intersect: (coming, going) = ([], before.filter { !announced.contains($0) })
    case .set: (coming, going) = (announced, before.filter { !announced.contains($0) })
    }
    // If a primitive accessor has changed this side already, only the other side is changed.
    let present = Set(members.map(ObjectIdentifier.init))
    for member in coming {
      if !present.contains(ObjectIdentifier(member)) {
        connect(member, property)
      } else if let inverse = property.inverse, !member.leads(to: self, inverse) {
        member.gain(self, inverse)
      }
    }
    for member in going {
      if present.contains(ObjectIdentifier(member)) {
        disconnect(member, property)
      } else if let inverse = property.inverse, member.leads(to: self, inverse) {
        member.lose(self, inverse)
      }
    }
  }
}
