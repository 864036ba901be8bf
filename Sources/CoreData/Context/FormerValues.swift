/// Compares what an object held before an event with what it holds now.
struct FormerValues {
  let object: NSManagedObject
  /// nil if the row says it.
  private let snapshot: EventSnapshot?
  /// Whether the object did not exist before the event.
  let isNew: Bool

  init(_ object: NSManagedObject, _ snapshot: EventSnapshot?, isNew: Bool) {
    self.object = object
    self.snapshot = snapshot
    self.isNew = isNew
  }

  private var row: RowSnapshot? { snapshot == nil ? (isNew ? nil : object.row) : snapshot!.row }

  /// An attribute, or a to-one as `.object`.
  func value(_ property: LayoutProperty) -> Value {
    if isNew { return object.layout.defaults.first { $0.slot == property.slot }?.value ?? .null }
    if let changes = snapshot?.changes, changes.holds(property.slot) { return changes[property.slot] }
    guard let row else { return .null }
    if property.kind == .toOne {
      guard property.word >= 0, let destination = row.destination(property) else { return .null }
      return .object(object.owner.object(for: destination, store: object.store))
    }
    let value = row.value(property)
    guard property.kind == .transformable, case .data(let data) = value else { return value }
    let decoded = try? property.attribute.value(ofTransformable: data)
    return decoded.map { .object(TransformableBox.close($0)) } ?? .null
  }

  /// The attributes and to-one relationships that hold another value now.
  var changedSlots: [LayoutProperty] { object.layout.slots.filter { wasSet($0) && holdsAnother($0) } }

  /// Whether one of the properties in question holds another value now. Those of the others are not read: they may lie
  /// in files, or have a transformer.
  func hasChanged(_ isInQuestion: (LayoutProperty) -> Bool) -> Bool {
    object.layout.slots.contains { wasSet($0) && isInQuestion($0) && holdsAnother($0) }
  }

  private func wasSet(_ property: LayoutProperty) -> Bool {
    object.changedSlots.contains(property.slot) || snapshot?.changes?.isChanged(property.slot) == true
  }

  private func holdsAnother(_ property: LayoutProperty) -> Bool {
    let former = value(property)
    if !former.isSame(as: object.currentValue(property)) { return true }
    return former.isNull && hadUnreadable(property) != object.hasUnreadable(property)
  }

  /// The value that undo gives back; nil if it can't be read, so that only the row has it.
  func restorableValue(_ property: LayoutProperty) -> Value? {
    let value = value(property)
    return value.isNull && hadUnreadable(property) ? nil : value
  }

  /// Whether a former value that reads as nil was one of the row that can't be read.
  private func hadUnreadable(_ property: LayoutProperty) -> Bool {
    snapshot?.changes?.isChanged(property.slot) != true && row?.hasValue(property) == true
  }

  private func formerMembers(_ property: LayoutProperty) -> EventSnapshot.Members {
    guard let snapshot, property.toManyIndex < snapshot.members.count else { return EventSnapshot.Members() }
    return snapshot.members[property.toManyIndex] ?? EventSnapshot.Members()
  }

  private func currentMembers(_ property: LayoutProperty) -> EventSnapshot.Members {
    EventSnapshot.Members(object.knownState(of: property)) ?? EventSnapshot.Members()
  }

  /// All members that the relationship had; nil if they can't be read and the handler lets them read as none.
  func readableMembers(_ property: LayoutProperty) -> ContiguousArray<NSManagedObject>? {
    if isNew { return [] }
    let former = formerMembers(property)
    if let order = former.order { return order }
    let state = object.toManyState(property)
    guard object.hasCommittedMembers(property, state) else { return nil }
    var members = ContiguousArray<NSManagedObject>()
    for reference in state.base! where !former.removed.contains(reference) {
      members.append(object.owner.object(for: reference, store: object.store))
    }
    return members + former.added
  }

  /// How a to-many relationship changed; nil when it didn't.
  func difference(_ property: LayoutProperty) -> MembersDifference? {
    let (former, current) = (formerMembers(property), currentMembers(property))
    func missing(
      _ members: ContiguousArray<NSManagedObject>, in others: ContiguousArray<NSManagedObject>
    ) -> ContiguousArray<NSManagedObject> {
      if others.isEmpty || members.isEmpty { return members }
      let known = Set(others.lazy.map(ObjectIdentifier.init))
      return members.filter { !known.contains(ObjectIdentifier($0)) }
    }
    func objects(_ references: Set<RowReference>) -> ContiguousArray<NSManagedObject> {
      ContiguousArray(references.map { object.owner.object(for: $0, store: object.store) })
    }
    let came =
      missing(current.added, in: former.added) + objects(former.removed.subtracting(current.removed))
    let went =
      missing(former.added, in: current.added) + objects(current.removed.subtracting(former.removed))
    var order: ContiguousArray<NSManagedObject>?
    if property.isOrdered, !went.isEmpty || former.order != nil || current.order != nil {
      // Without an order that can be read, members come back at the end.
      if let all = readableMembers(property), let now = object.readableMembers(property),
        !went.isEmpty || !came.isEmpty || !all.elementsEqual(now, by: ===)
      {
        order = all
      }
    }
    if came.isEmpty, went.isEmpty, order == nil { return nil }
    return MembersDifference(property: property, came: came, went: went, order: order)
  }
}

/// Which members a to-many relationship gained and lost; for an ordered one, all that it had, where needed.
struct MembersDifference {
  let property: LayoutProperty
  var came: ContiguousArray<NSManagedObject>
  var went: ContiguousArray<NSManagedObject>
  var order: ContiguousArray<NSManagedObject>?
}

extension Value {
  /// Whether both are the same value. Two objects are, if they are identical or equal; two texts, if a store keeps the
  /// same bytes for both.
  func isSame(as other: Value) -> Bool {
    switch self {
    case .null: other.isNull
    case .int(let a): if case .int(let b) = other { a == b } else { false }
    case .double(let a): if case .double(let b) = other { a == b } else { false }
    case .date(let a): if case .date(let b) = other { a == b } else { false }
    case .string(let a): if case .string(let b) = other { binaryEqual(a, b) } else { false }
    case .data(let a): if case .data(let b) = other { a == b } else { false }
    case .uuid(let a): if case .uuid(let b) = other { a == b } else { false }
    case .url(let a): if case .url(let b) = other { a == b } else { false }
    case .decimal(let a): if case .decimal(let b) = other { a == b } else { false }
    case .object(let a):
      if case .object(let b) = other { a === b || Value.areEqual(a, b) } else { false }
    }
  }
}
