/// Selects over the members of to-many relationships.
extension SelectStatement {
  /// The select of members as `t0`, in the order of the relationship if it is ordered, and the column with the key of
  /// their owner.
  ///
  /// - Parameter condition: makes the condition that chooses the owners, from that column.
  package static func members(
    _ columns: [SQLExpression], of members: EntitySchema, by storage: ToManyStorage, schema: StoreSchema,
    owners condition: (SQLExpression) -> SQLExpression
  ) throws -> (select: SelectStatement, owner: SQLExpression) {
    let link = try storage.link(from: "t0", of: members, pairs: "t1")
    var select = SelectStatement(columns, from: .named(members.table, as: "t0"))
    select.isByKey = true
    select.joins = link.joins
    select.conditions = [condition(link.owner)]
    if members.hasUnknownEntities {
      let numbers = schema.numbers(members.layout.subtree).map { SQLExpression.number(Int64($0)) }
      select.conditions.append(.infix(.column("t0", "Z_ENT"), "IN", .list(numbers)))
    }
    select.order = link.order.map { Order(value: $0) }
    return (select, link.owner)
  }
}

extension ToManyStorage {
  /// The path from members to their owner.
  struct Link {
    /// The column with the owner's key.
    let owner: SQLExpression
    /// The join with the table of pairs, if that table has the key.
    var joins: [SelectStatement.Join] = []
    /// The columns that an ordered relationship is sorted by.
    let order: [SQLExpression]
  }

  /// - Parameters:
  ///   - alias: the alias of the members' table.
  ///   - pairs: the alias for a table of pairs.
  func link(from alias: String, of members: EntitySchema, pairs: @autoclosure () -> String) throws -> Link {
    switch self {
    case .foreignKey(_, let column, let order), .hiddenKey(_, let column, let order):
      return Link(
        owner: .column(alias, column), order: order.map { [.column(alias, $0), .column(alias, "Z_PK")] } ?? [])
    case .join(let side):
      let pairs = pairs()
      let member = SQLExpression.column(pairs, side.member)
      return Link(
        owner: .column(pairs, side.owner),
        joins: [
          SelectStatement.Join(
            kind: "JOIN", table: .named(side.table.name, as: pairs),
            condition: .infix(.column(alias, "Z_PK"), "=", member))
        ], order: side.order.map { [.column(pairs, $0), member] } ?? [])
    case .none: throw Failure.entityOutsideStore(members.layout.name)
    }
  }
}
