/// Gives edited objects their stored values again, and with them objects that have taken such a value since.
struct FormerConstraintValues {
  private struct Constraint: Hashable {
    let names: [String]
    let entity: Int
  }

  private let type: NSMergePolicyType
  /// The objects whose edits were taken back.
  private(set) var objects: Set<ObjectIdentifier> = []
  /// The edited objects of a context by constraint and values, as they were at the first question.
  private var edited: [Constraint: [ConstraintValues: [NSManagedObject]]] = [:]

  init(_ type: NSMergePolicyType) { self.type = type }

  /// Edits are taken back in waves. Within a wave no object depends on another.
  mutating func takeBack(_ first: [(object: NSManagedObject, constraint: [String])]) {
    var wave = first
    while !wave.isEmpty {
      let announced = wave.compactMap { $0.object.announceChanges(.anything) }
      for (object, constraint) in wave {
        objects.insert(ObjectIdentifier(object))
        // Observers have to see the change.
        object.noteChange()
        for name in names(taken: object, constraint) {
          guard let property = object.layout.property(named: name) else { continue }
          object.takeBack(property, clearing: constraint.contains(name))
        }
      }
      for (object, _) in wave { object.awake(fromSnapshotEvents: .mergePolicy) }
      for change in announced { change.end() }
      wave = wave.flatMap { object, constraint -> [(object: NSManagedObject, constraint: [String])] in
        let taken = names(taken: object, constraint)
        return object.layout.allConstraints.filter { !Set($0.names).isDisjoint(with: taken) }.flatMap {
          names, declaring in
          rivals(of: object, names, declaring).map { ($0, names) }
        }
      }
    }
  }

  private func names(taken object: NSManagedObject, _ constraint: [String]) -> [String] {
    type == .rollbackMergePolicyType ? object.layout.slots.map(\.name) : constraint
  }

  /// The edited objects that have an object's values of a constraint now.
  private mutating func rivals(
    of object: NSManagedObject, _ names: [String], _ declaring: EntityLayout
  ) -> [NSManagedObject] {
    guard let context = object.managedObjectContext, let values = object.values(of: names) else { return [] }
    let constraint = Constraint(names: names, entity: declaring.index)
    if edited[constraint] == nil {
      var index: [ConstraintValues: [NSManagedObject]] = [:]
      for other in context.ledger.updatedList
      where other.state.isUpdated && declaring.subtree.contains(other.layout.index) {
        guard other.hasEdited(names), let values = other.values(of: names) else { continue }
        index[values, default: []].append(other)
      }
      edited[constraint] = index
    }
    return edited[constraint]![values, default: []].filter { other in
      other !== object && other.store == object.store && other.hasEdited(names)
        && other.values(of: names) == values
    }
  }
}

extension NSManagedObject {
  /// The object's values for the properties of a constraint; nil if one of them is nil.
  fileprivate func values(of names: [String]) -> ConstraintValues? {
    ConstraintValues(
      names.map { name in
        guard let property = layout.property(named: name) else { return .null }
        if property.kind == .toOne { return toOne(property).map { .int($0.key) } ?? .null }
        return currentValue(property)
      })
  }

  /// Whether one of the properties has another value than the store's row.
  fileprivate func hasEdited(_ names: [String]) -> Bool {
    guard let row else { return false }
    let properties = names.compactMap { layout.property(named: $0) }
    guard let changes, properties.contains(where: { $0.slot >= 0 && changes.holds($0.slot) }) else { return false }
    return values(of: names) != ConstraintValues(row, properties)
  }

  /// Gives an attribute or to-one relationship its stored value again. A destination that this save deletes, or that
  /// belongs to another object by now, can't be restored: `clearing` says whether to set nil instead.
  func takeBack(_ property: LayoutProperty, clearing: Bool) {
    guard property.word >= 0, let changes, changes.holds(property.slot) else { return }
    if property.kind != .toOne {
      changes.drop(property.slot)
      return
    }
    if state.contains(.fault) { fire() }
    let stored = row?.destination(property).map { owner.object(for: $0, store: store) }
    if let stored {
      if toOne(property) === stored { return }
      let isTaken =
        property.inverse.map { inverse in
          inverse.kind == .toOne && stored.destination(of: inverse).map { $0 !== self } ?? false
        } ?? false
      if stored.state.contains(.deleted) || isTaken {
        if clearing { setToOne(nil, property) }
        return
      }
    }
    setToOne(stored, property)
  }

  /// Where an inherited to-one relationship leads.
  private func destination(of property: LayoutProperty) -> NSManagedObject? {
    if state.contains(.fault) { fire() }
    return layout.property(keyNumber: property.keyNumber).flatMap(toOne)
  }
}
