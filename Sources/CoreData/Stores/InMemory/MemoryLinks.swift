/// The members of to-many relationships, as far as the members' rows alone don't tell them.
///
/// If the inverse is a to-one relationship, an index of that relationship finds the members. If it isn't, or if there
/// is no inverse, the links are kept for the owner, on both sides: as a set, or as a list if the relationship is
/// ordered. An ordered relationship with a to-one inverse has a list for the order.
struct MemoryLinks {
  /// A relationship of one row.
  private struct Place: Hashable {
    let root: Int32
    let relationship: Int32
    let key: Int64

    init(_ owner: RowReference, relationship: LayoutProperty, layouts: ModelLayouts) {
      root = Int32(layouts[Int(owner.entity)].rootIndex)
      self.relationship = Int32(relationship.keyNumber)
      key = owner.key
    }
  }

  /// A to-one relationship whose inverse is to-many.
  private struct Index: Hashable {
    let entity: Int32
    let relationship: Int32

    init(_ property: LayoutProperty) {
      entity = Int32(property.declaringEntity)
      relationship = Int32(property.keyNumber)
    }
  }

  private let layouts: ModelLayouts
  private var lists: [Place: MemberList] = [:]
  private var sets: [Place: Set<RowReference>] = [:]
  /// By to-one relationship, then by the destination's key: the rows that refer to it.
  private var sources: [Index: [Int64: Set<RowReference>]] = [:]
  /// The to-one relationships of each entity whose inverse is to-many.
  private let indexed: [[LayoutProperty]]

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    indexed = layouts.layouts.map { layout in
      layout.slots.filter { $0.kind == .toOne && $0.inverse?.kind == .toMany }
    }
  }

  /// The members in their order if the relationship is ordered, otherwise ordered by key.
  func members(of relationship: LayoutProperty, owner: RowReference) -> [RowReference] {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    let list = relationship.isOrdered ? lists[place]?.members : nil
    guard let inverse = relationship.inverse, inverse.kind == .toOne else {
      if relationship.isOrdered { return list ?? [] }
      return (sets[place] ?? []).sorted(on: \.key)
    }
    guard let members = sources[Index(inverse)]?[owner.key] else { return [] }
    guard relationship.isOrdered, let list else { return members.sorted(on: \.key) }
    let positions = Dictionary(
      list.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return members.sorted { a, b in
      (positions[a] ?? .max, a.key) < (positions[b] ?? .max, b.key)
    }
  }

  /// Updates the index when `new` takes the place of `old`; nil for a row that doesn't exist.
  mutating func replace(_ old: RowSnapshot?, by new: RowSnapshot?) {
    guard let entity = new?.entity ?? old?.entity else { return }
    for property in indexed[entity] {
      let (before, after) = (old?.destination(property), new?.destination(property))
      if before == after { continue }
      if let before, let old { removeSource(old.reference, of: before.key, Index(property)) }
      if let after, let new {
        sources[Index(property), default: [:]][after.key, default: []].insert(new.reference)
      }
    }
  }

  /// A set that the last row has left goes with it: keys are not used again, and nothing would ask for it.
  private mutating func removeSource(_ row: RowReference, of destination: Int64, _ index: Index) {
    sources[index]?[destination]?.remove(row)
    if sources[index]?[destination]?.isEmpty == true { sources[index]?[destination] = nil }
  }

  mutating func apply(_ change: LinkChange) {
    let inverse = change.relationship.inverse
    if inverse?.kind != .toOne {
      for member in change.removed {
        unlink(member, from: change.owner, change.relationship)
        if let inverse { unlink(change.owner, from: member, inverse) }
      }
      for member in change.added {
        link(member, to: change.owner, change.relationship)
        if let inverse { link(change.owner, to: member, inverse) }
      }
    }
    if let order = change.order {
      setList(order, of: change)
    } else if change.relationship.isOrdered, inverse?.kind != .toOne {
      // The new members are among these already: they were linked above, or the other end has reported them.
      let place = Place(change.owner, relationship: change.relationship, layouts: layouts)
      for member in change.added {
        lists[place]?.remove(member)
        lists[place, default: MemberList()].append(member)
      }
    } else if change.relationship.isOrdered {
      // The new members are among these already: their rows are replaced.
      let added = Set(change.added)
      let members = members(of: change.relationship, owner: change.owner)
      setList(members.filter { !added.contains($0) } + change.added, of: change)
    }
  }

  private mutating func setList(_ members: [RowReference], of change: LinkChange) {
    let place = Place(change.owner, relationship: change.relationship, layouts: layouts)
    lists[place] = members.isEmpty ? nil : MemberList(members)
  }

  /// Sets all members on one side of a relationship. The other side is loaded separately.
  mutating func load(_ members: [RowReference], of relationship: LayoutProperty, owner: RowReference) {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    if relationship.isOrdered {
      lists[place] = MemberList(members)
    } else if relationship.inverse?.kind != .toOne {
      sets[place] = Set(members)
    }
  }

  /// Removes all links of a deleted row, in both directions.
  mutating func removeAll(of row: RowSnapshot) {
    let layout = layouts[row.entity]
    for property in layout.toMany {
      let place = Place(row.reference, relationship: property, layouts: layouts)
      let list = lists.removeValue(forKey: place)?.members ?? []
      let set = sets.removeValue(forKey: place) ?? []
      guard let inverse = property.inverse, inverse.kind == .toMany else { continue }
      for member in list { unlink(row.reference, from: member, inverse) }
      for member in set { unlink(row.reference, from: member, inverse) }
    }
  }

  private mutating func link(_ member: RowReference, to owner: RowReference, _ relationship: LayoutProperty) {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    if !relationship.isOrdered {
      sets[place, default: []].insert(member)
    } else {
      lists[place, default: MemberList()].append(member)
    }
  }

  private mutating func unlink(
    _ member: RowReference, from owner: RowReference, _ relationship: LayoutProperty
  ) {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    if !relationship.isOrdered {
      sets[place]?.remove(member)
      if sets[place]?.isEmpty == true { sets[place] = nil }
    } else {
      lists[place]?.remove(member)
      if lists[place]?.isEmpty == true { lists[place] = nil }
    }
  }
}
