/// The members of to-many relationships, as far as they are not to be read from the rows of the members alone.
///
/// A member whose to-one leads back to its owner is found by an index over that to-one. Links of many-to-many
/// relationships, and of those without an inverse, are kept at their owners, on both sides: as a set, or, where
/// the relationship is ordered, as a list. The order of a relationship with a to-one inverse is a list too.
struct MemoryLinks {
  /// A relationship of one row.
  private struct Place: Hashable {
    let root: Int32
    let relationship: Int32
    let key: Int64

    init(_ owner: RowReference, relationship: LayoutProperty, layouts: ModelLayouts) {
      root = Int32(layouts.layouts[Int(owner.entity)].rootIndex)
      self.relationship = Int32(relationship.keyNumber)
      key = owner.key
    }
  }

  /// A to-one relationship that is the inverse of a to-many.
  private struct Index: Hashable {
    let entity: Int32
    let relationship: Int32

    init(_ property: LayoutProperty) {
      entity = Int32(property.declaringEntity)
      relationship = Int32(property.keyNumber)
    }
  }

  private let layouts: ModelLayouts
  private var lists: [Place: ContiguousArray<RowReference>] = [:]
  private var sets: [Place: Set<RowReference>] = [:]
  /// By to-one relationship, then by destination key: the rows that lead there.
  private var sources: [Index: [Int64: Set<RowReference>]] = [:]
  /// By entity: its to-one relationships that are the inverse of a to-many.
  private let indexed: [[LayoutProperty]]

  init(_ layouts: ModelLayouts) {
    self.layouts = layouts
    indexed = layouts.layouts.map { layout in
      layout.slots.filter { $0.kind == .toOne && layout.inverse(of: $0)?.kind == .toMany }
    }
  }

  /// The members, in order where the relationship is ordered, else by key.
  func members(of relationship: LayoutProperty, owner: RowReference) -> [RowReference] {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    let list = relationship.isOrdered ? lists[place] : nil
    let layout = layouts.layouts[Int(owner.entity)]
    guard let inverse = layout.inverse(of: relationship), inverse.kind == .toOne else {
      if relationship.isOrdered { return Array(list ?? []) }
      return (sets[place] ?? []).sorted { $0.key < $1.key }
    }
    guard let members = sources[Index(inverse)]?[owner.key] else { return [] }
    guard relationship.isOrdered, let list else { return members.sorted { $0.key < $1.key } }
    let positions = Dictionary(
      list.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return members.sorted { a, b in
      (positions[a] ?? .max, a.key) < (positions[b] ?? .max, b.key)
    }
  }

  /// Follows a row's to-one relationships: `old` is gone from now on, `new` is there.
  mutating func replace(_ old: RowSnapshot?, by new: RowSnapshot?) {
    guard let entity = new?.entity ?? old?.entity else { return }
    for property in indexed[entity] {
      let (before, after) = (old?.destination(property), new?.destination(property))
      if before == after { continue }
      if let before, let old { sources[Index(property)]?[before.key]?.remove(old.reference) }
      if let after, let new {
        sources[Index(property), default: [:]][after.key, default: []].insert(new.reference)
      }
    }
  }

  mutating func apply(_ change: LinkChange) {
    let layout = layouts.layouts[Int(change.owner.entity)]
    let inverse = layout.inverse(of: change.relationship)
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
      lists[Place(change.owner, relationship: change.relationship, layouts: layouts)] = ContiguousArray(order)
    }
  }

  /// All members of one side of a relationship; the other side is loaded by itself.
  mutating func load(_ members: [RowReference], of relationship: LayoutProperty, owner: RowReference) {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    if relationship.isOrdered {
      lists[place] = ContiguousArray(members)
    } else if layouts.layouts[Int(owner.entity)].inverse(of: relationship)?.kind != .toOne {
      sets[place] = Set(members)
    }
  }

  /// A row is gone: so are its links, both ways.
  mutating func removeAll(of row: RowSnapshot) {
    let layout = layouts.layouts[row.entity]
    for property in layout.toMany {
      let place = Place(row.reference, relationship: property, layouts: layouts)
      let list = lists.removeValue(forKey: place) ?? []
      let set = sets.removeValue(forKey: place) ?? []
      guard let inverse = layout.inverse(of: property), inverse.kind == .toMany else { continue }
      for member in list { unlink(row.reference, from: member, inverse) }
      for member in set { unlink(row.reference, from: member, inverse) }
    }
  }

  private mutating func link(_ member: RowReference, to owner: RowReference, _ relationship: LayoutProperty) {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    if !relationship.isOrdered {
      sets[place, default: []].insert(member)
    } else if lists[place]?.contains(member) != true {
      lists[place, default: []].append(member)
    }
  }

  private mutating func unlink(
    _ member: RowReference, from owner: RowReference, _ relationship: LayoutProperty
  ) {
    let place = Place(owner, relationship: relationship, layouts: layouts)
    if !relationship.isOrdered {
      sets[place]?.remove(member)
      if sets[place]?.isEmpty == true { sets[place] = nil }
    } else if let index = lists[place]?.firstIndex(of: member) {
      lists[place]!.remove(at: index)
      if lists[place]!.isEmpty { lists[place] = nil }
    }
  }
}
