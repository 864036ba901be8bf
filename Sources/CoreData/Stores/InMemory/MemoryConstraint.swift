/// A uniqueness constraint of an entity, and the rows that hold its values.
struct MemoryConstraint {
  let entity: EntityLayout
  let attributes: [String]
  /// The constraint's attributes for each entity in the hierarchy below `entity`.
  private let properties: [Int: [LayoutProperty]]
  private var holders: [ConstraintValues: RowReference] = [:]

  init(_ attributes: [String], of entity: EntityLayout, _ layouts: ModelLayouts) {
    self.entity = entity
    self.attributes = attributes
    properties = Dictionary(
      uniqueKeysWithValues: entity.subtree.map { index in
        (index, attributes.compactMap { layouts[index].property(named: $0) })
      })
  }

  /// The row's values for the constraint; nil if the constraint doesn't concern the row.
  func values(of row: RowSnapshot) -> ConstraintValues? {
    properties[row.entity].flatMap { ConstraintValues(row, $0) }
  }

  /// The row that holds these values.
  func holder(of values: ConstraintValues) -> RowReference? { holders[values] }

  /// Notes that `old` no longer holds its values.
  mutating func release(_ old: RowSnapshot) {
    if let values = values(of: old), holders[values] == old.reference { holders[values] = nil }
  }

  mutating func take(_ new: RowSnapshot) {
    if let values = values(of: new) { holders[values] = new.reference }
  }
}
