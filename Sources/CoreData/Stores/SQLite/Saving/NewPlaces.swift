/// The numbers in ordered relationships that new rows are inserted with: those of new members of new owners.
///
/// Where an owner or a member was there before, the numbers in the table decide, so the members are numbered when all
/// rows are in it; see `SaveRun`.
struct NewPlaces {
  /// A relationship of a new row, by the row's entity and key and the slot that refers to the owner.
  private struct Place: Hashable {
    let entity: Int32
    let slot: Int32
    let key: Int64
  }

  private var numbers: [Place: Int64] = [:]
  /// The ordered links whose members have to be numbered later.
  private(set) var others: [LinkChange] = []

  init(_ changes: ChangeSet, _ schema: StoreSchema) {
    for link in changes.links where link.order != nil {
      if !add(link, of: changes, schema) { others.append(link) }
    }
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// The number of a new row in the relationship whose owner is in a slot; nil if it is not known yet.
  func number(of row: RowSnapshot, slot: Int) -> Int64? {
    numbers[Place(entity: Int32(truncatingIfNeeded: row.entity), slot: Int32(truncatingIfNeeded: slot), key: row.key)]
  }

  private mutating func add(_ link: LinkChange, of changes: ChangeSet, _ schema: StoreSchema) -> Bool {
    let owner = Int(link.owner.entity)
    guard let members = link.order,
      case .foreignKey(_, _, let order?) = schema.entity(at: owner).toMany[link.relationship.toManyIndex],
      let inverse = schema.layouts.layouts[owner].inverse(of: link.relationship)
    else { return false }
    // Keys that are named for this save belong to rows that no table has.
    func isNew(_ row: RowReference) -> Bool {
      let root = schema.layouts.layouts[Int(row.entity)].rootIndex
      return changes.proposedKeys.contains { $0.root == root && $0.first <= row.key && row.key <= $0.last }
    }
    guard isNew(link.owner), members.allSatisfy(isNew) else { return false }
    var places: [Place] = []
    for member in members {
      let entity = schema.entity(at: Int(member.entity))
      guard let slot = entity.layout.property(keyNumber: inverse.keyNumber)?.slot, slot >= 0,
        entity.slots[slot]?.orderName == order
      else { return false }
      places.append(
        Place(entity: Int32(member.entity), slot: Int32(truncatingIfNeeded: slot), key: member.key))
    }
    let keys = OrderKeys.assign(Array(repeating: nil, count: places.count))
    for (place, key) in zip(places, keys) { numbers[place] = key }
    return true
  }
}
