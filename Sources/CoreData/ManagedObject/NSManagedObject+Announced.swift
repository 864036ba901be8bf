/// Changes of members that a hand-written accessor announces.
extension NSManagedObject {
  /// Keeps the members from before an announced change, because a primitive accessor may change them before it ends.
  final func announceMutation(forKey key: String) {
    guard let property = layout.property(named: key), property.kind == .toMany else { return }
    toManyState(property).announced = members(property)
  }

  /// Makes the other ends of a relationship agree with its members, which have changed since
  /// ``announceMutation(forKey:)``.
  final func adoptMembers(forKey key: String) {
    guard let property = layout.property(named: key), property.kind == .toMany else { return }
    adoptMutation(.set, Set(members(property).map { AnyHashable($0) }), forKey: key)
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
      } else if let inverse = layout.inverse(of: property), !member.leads(to: self, inverse) {
        member.gainInverse(self, inverse, over: property)
      }
    }
    for member in going {
      if present.contains(ObjectIdentifier(member)) {
        disconnect(member, property)
      } else if let inverse = layout.inverse(of: property), member.leads(to: self, inverse) {
        member.lose(self, inverse)
      }
    }
  }
}
