/// The statements of a batch delete. Pure.
///
/// They run in one transaction, in this order: note the chosen rows; note the rows that cascades lead to, step by step,
/// until there are no more; delete the pairs in join tables; delete the rows; clear what still leads to them.
package struct BatchDeletePlan {
  /// A to-one relationship that may lead to deleted rows.
  package struct Detachment {
    package let entity: EntitySchema
    /// Selects Z_ENT (or 0) and Z_PK of the rows that must change.
    package let select: String
    package let update: String
    /// The relationship's entity and name if it is mandatory; nil if it is optional.
    package let mandatory: (entity: String, property: String)?
    fileprivate let name: String

    /// The slot that becomes null.
    package func slots(in layout: EntityLayout) -> SlotMask {
      var slots = SlotMask()
      if let property = layout.property(named: name) { slots.insert(property.slot) }
      return slots
    }
  }

  /// Each statement adds the rows that one relationship leads to. Its parameter is the number of the step before.
  package private(set) var cascades: [String] = []
  package private(set) var unlinks: [String] = []
  /// Each statement selects the columns of the rows that may name files.
  package private(set) var files: [String] = []
  package private(set) var deletes: [String] = []
  package private(set) var detachments: [Detachment] = []
  /// Each statement clears a key column, which belongs to no property, where it leads to a deleted row.
  package private(set) var clearings: [String] = []

  private let schema: StoreSchema
  private let rows: BatchRows

  package init(_ schema: StoreSchema, layout: EntityLayout, dialect: SQLDialect = .sqlite) throws {
    self.schema = schema
    rows = BatchRows(schema, dialect)
    let reached = BatchDeletePlan.reach(layout)
    let roots = Set(reached.map { schema.layouts[$0].rootIndex }).sorted()
    for root in roots {
      let entity = try schema.entity(schema.layouts[root])
      deletes.append("DELETE FROM \(entity.table) WHERE Z_PK IN (\(rows.keys(entity.layout)))")
      let tagged = Set(
        entity.layout.subtree.flatMap { schema.entities[$0]?.slots ?? [] }.compactMap { column in
          column.flatMap { $0.isTagged ? $0.name : nil }
        }
      ).sorted()
      if !tagged.isEmpty {
        files.append(
          "SELECT \(tagged.joined(separator: ", ")) FROM \(entity.table) "
            + "WHERE Z_PK IN (\(rows.keys(entity.layout)))")
      }
    }
    for owner in schema.entities.compactMap({ $0 }) where owner.layout.subtree.contains(where: reached.contains) {
      for property in owner.layout.relationships
      where property.declaringEntity == owner.layout.index && !property.isTransient {
        try add(property, of: owner)
      }
    }
  }

  /// The entities whose rows may be deleted: those of the request, and those that cascades lead to from there.
  private static func reach(_ layout: EntityLayout) -> Set<Int> {
    var reached = Set(layout.subtree)
    var open = Array(layout.subtree)
    while let index = open.popLast() {
      for property in layout.model.layouts[index].relationships
      where property.relationship.deleteRule == .cascadeDeleteRule {
        for next in property.destinations where reached.insert(next).inserted { open.append(next) }
      }
    }
    return reached
  }

  private mutating func add(_ property: LayoutProperty, of owner: EntitySchema) throws {
    guard property.destination >= 0, let destination = schema.entities[property.destination] else { return }
    let rule = property.relationship.deleteRule
    let owners = rows.keys(owner.layout)
    let isCascade = rule == .cascadeDeleteRule
    let last = rows.keys(owner.layout, lastStep: true)
    if property.kind == .toOne {
      guard let column = owner.slots[property.slot] else { return }
      if isCascade {
        cascades.append(
          rows.addNext(
            destination,
            "WHERE t0.Z_PK IN (SELECT \(column.name) FROM \(owner.table) WHERE Z_PK IN (\(last)))"))
      }
      if let inverse = property.inverse ?? property.oneSidedInverse, inverse.kind == .toOne, !isCascade,
        rule != .noActionDeleteRule
      {
        detach(inverse, of: destination, owners)
      }
      return
    }
    switch owner.toMany[property.toManyIndex] {
    case .foreignKey(_, let column, _):
      if isCascade {
        cascades.append(rows.addNext(destination, "WHERE t0.\(column) IN (\(last))"))
      } else if rule != .noActionDeleteRule, let inverse = property.inverse ?? property.oneSidedInverse {
        detach(inverse, of: destination, owners)
      }
    case .hiddenKey(let table, let column, let order):
      if isCascade { cascades.append(rows.addNext(destination, "WHERE t0.\(column) IN (\(last))")) }
      let place = order.map { ", \($0) = NULL" } ?? ""
      clearings.append("UPDATE \(table) SET \(column) = NULL\(place) WHERE \(column) IN (\(owners))")
    case .join(let side):
      if isCascade {
        cascades.append(
          rows.addNext(
            destination,
            "JOIN \(side.table.name) t1 ON t0.Z_PK = t1.\(side.member) WHERE t1.\(side.owner) IN (\(last))"))
      }
      unlinks.append("DELETE FROM \(side.table.name) WHERE \(side.owner) IN (\(owners))")
      if side.table.isSymmetric {
        unlinks.append("DELETE FROM \(side.table.name) WHERE \(side.member) IN (\(owners))")
      }
    case .none: break
    }
  }

  /// Adds the statements that clear a to-one relationship where it leads to a deleted row. The cleared row has changed,
  /// so its version grows.
  private mutating func detach(_ inverse: LayoutProperty, of entity: EntitySchema, _ owners: String) {
    guard let column = entity.slots[inverse.slot] else { return }
    let condition = "WHERE \(column.name) IN (\(owners))"
    let columns = [column.name, column.entityName, column.orderName].compactMap { $0 }
    detachments.append(
      Detachment(
        entity: entity,
        select: "SELECT \(entity.sharesTable ? "Z_ENT" : "0"), Z_PK FROM \(entity.table) \(condition)",
        update: "UPDATE \(entity.table) SET \(columns.map { "\($0) = NULL" }.joined(separator: ", ")), "
          + "Z_OPT = (Z_OPT + 1) \(condition)",
        mandatory: inverse.isOptional ? nil : (entity.layout.name, inverse.name), name: inverse.name))
  }
}
