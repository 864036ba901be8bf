/// The numbers in ordered relationships that the rows of a save are written with.
///
/// A new owner's members are numbered at once. For members that follow those of an owner that was there before, the
/// last number in the table is read first; see `SaveRun`. Where members change their order, or no statement of theirs
/// writes their numbers, they are numbered when all rows are in the tables.
struct OrderNumbers {
  /// A row as a member in a relationship, by the row's entity and key and the slot that refers to the owner.
  struct Membership: Hashable {
    fileprivate let entity: Int32
    fileprivate let slot: Int32
    fileprivate let key: Int64

    fileprivate init(entity: Int, slot: Int, key: Int64) {
      (self.entity, self.slot) = (Int32(truncatingIfNeeded: entity), Int32(truncatingIfNeeded: slot))
      self.key = key
    }
  }

  private var numbers: [Membership: Int64] = [:]
  /// Members that follow those of an owner that was there before.
  private(set) var followers: [(link: LinkChange, members: [Membership])] = []
  /// The ordered links whose members have to be numbered later.
  private(set) var others: [LinkChange] = []

  init() {}

  init(_ changes: ChangeSet, _ schema: StoreSchema) {
    var written = WrittenMemberships(changes, schema)
    for link in changes.links where link.relationship.isOrdered {
      if link.order == nil, link.added.isEmpty { continue }
      let isNew = written.isNew(link.owner)
      let members = link.order ?? link.added
      guard isNew || link.order == nil, let memberships = written.memberships(of: members, link) else {
        others.append(link)
        continue
      }
      if isNew {
        number(memberships, OrderKeys.following(nil, count: memberships.count)!)
      } else {
        followers.append((link, memberships))
      }
    }
  }

  /// Whether no row is written with a number.
  var isEmpty: Bool { numbers.isEmpty && followers.isEmpty }

  /// The number of a row in the relationship whose owner is in a slot; nil if it has none, or gets it later.
  func number(of row: RowSnapshot, slot: Int) -> Int64? {
    numbers.isEmpty ? nil : numbers[Membership(entity: row.entity, slot: slot, key: row.key)]
  }

  mutating func number(_ members: [Membership], _ numbers: [Int64]) {
    for (member, number) in zip(members, numbers) { self.numbers[member] = number }
  }
}

/// The memberships in ordered relationships that the inserts and updates of a save write: the owner's key and a number.
private struct WrittenMemberships {
  private let changes: ChangeSet
  private let schema: StoreSchema
  /// Those of updates and of rows whose keys were reserved before; made when it is asked for.
  private lazy var known = makeKnown()

  init(_ changes: ChangeSet, _ schema: StoreSchema) { (self.changes, self.schema) = (changes, schema) }

  /// Whether a row's key was named for this save. Such keys belong to rows that no table has.
  func isNew(_ row: RowReference) -> Bool {
    let root = schema.layouts[Int(row.entity)].rootIndex
    return changes.proposedKeys.contains { $0.root == root && $0.first <= row.key && row.key <= $0.last }
  }

  /// The memberships of an owner's members; nil if one of them is not written with its row.
  mutating func memberships(of members: [RowReference], _ link: LinkChange) -> [OrderNumbers.Membership]? {
    let owner = Int(link.owner.entity)
    guard case .foreignKey(_, _, let order?) = schema.entity(at: owner).toMany[link.relationship.toManyIndex],
      let inverse = link.relationship.inverse
    else { return nil }
    var memberships: [OrderNumbers.Membership] = []
    memberships.reserveCapacity(members.count)
    for member in members {
      let entity = schema.entity(at: Int(member.entity))
      guard let slot = entity.layout.property(keyNumber: inverse.keyNumber)?.slot, slot >= 0,
        entity.slots[slot]?.orderName == order
      else { return nil }
      let membership = OrderNumbers.Membership(entity: Int(member.entity), slot: slot, key: member.key)
      if !isNew(member), !known.contains(membership) { return nil }
      memberships.append(membership)
    }
    return memberships
  }

  private func makeKnown() -> Set<OrderNumbers.Membership> {
    var known: Set<OrderNumbers.Membership> = []
    func insert(_ row: RowSnapshot, where isWritten: (Int) -> Bool) {
      for column in schema.entity(at: row.entity).slots {
        guard let column, column.orderName != nil, isWritten(column.property.slot) else { continue }
        known.insert(.init(entity: row.entity, slot: column.property.slot, key: row.key))
      }
    }
    for row in changes.inserted where !isNew(row.reference) { insert(row) { _ in true } }
    for update in changes.updated { insert(update.row) { update.changed.contains($0) } }
    return known
  }
}
