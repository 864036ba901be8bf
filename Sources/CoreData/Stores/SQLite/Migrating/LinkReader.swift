/// Reads the links of the source, as keys of the destination's rows.
struct LinkReader {
  let versions: MigrationVersions
  let moves: TableMoves

  /// The links of a relationship of the source. Adds the columns that hold them to `keys`, so that an earlier step
  /// clears references to removed rows.
  ///
  /// - Parameters:
  ///   - owner: the destination's entity of the owners.
  ///   - member: the destination's entity of the members.
  func pairs(
    _ relationship: SourceRelationship, owner: DestinationEntity, member: DestinationEntity, keys: inout KeyColumns
  ) -> [LinkPairs] {
    let schema = versions.schema(relationship.entity)
    func key(_ column: String, of oldTarget: SourceEntity, _ newTarget: DestinationEntity) -> String {
      let offset = moves.offset(versions.root(of: oldTarget), versions.root(of: newTarget))
      return MigrationPlanner.adding(offset, to: column)
    }
    func ownerKey(_ column: String) -> String { key(column, of: relationship.entity, owner) }
    func memberKey(_ column: String) -> String { key(column, of: relationship.destination, member) }
    /// The condition that leaves out the source's rows whose entity no longer has the relationship.
    func conditionOfStaying(_ sourceEntity: SourceEntity, _ entity: DestinationEntity) -> String {
      let leaving = versions.numbersLeaving(sourceEntity, entity)
      return leaving.isEmpty ? "" : " AND Z_ENT NOT IN (\(MigrationPlanner.list(leaving)))"
    }
    func leaving(_ sourceEntity: SourceEntity, _ entity: DestinationEntity) -> Set<Int> {
      Set(versions.numbersLeaving(sourceEntity, entity))
    }
    guard let storage = versions.storage(of: relationship) else {
      guard let column = schema.slots[relationship.property.slot] else { return [] }
      keys.add(
        .init(table: schema.table, column: column.name),
        .init(
          target: relationship.destination, leaving: leaving(relationship.destination, member),
          companions: column.companions,
          entityColumn: column.entityName))
      return [
        LinkPairs(
          owner: ownerKey("Z_PK"), member: memberKey(column.name), ownerOrder: column.orderName,
          from: "\(schema.table) WHERE \(column.name) IS NOT NULL\(conditionOfStaying(relationship.entity, owner))")
      ]
    }
    switch storage {
    case .none: return []
    case .foreignKey(let table, let column, let order), .hiddenKey(let table, let column, let order):
      keys.add(
        .init(table: table, column: column),
        .init(
          target: relationship.entity, leaving: leaving(relationship.entity, owner),
          companions: [order].compactMap { $0 },
          entityColumn: nil))
      return [
        LinkPairs(
          owner: ownerKey(column), member: memberKey("Z_PK"), memberOrder: order,
          from: "\(table) WHERE \(column) IS NOT NULL\(conditionOfStaying(relationship.destination, member))")
      ]
    case .join(let side):
      keys.add(
        side, owner: relationship.entity, owners: leaving(relationship.entity, owner), member: relationship.destination,
        members: leaving(relationship.destination, member))
      return [
        LinkPairs(
          owner: ownerKey(side.owner), member: memberKey(side.member), memberOrder: side.order,
          ownerOrder: side.isNaming ? side.table.firstOrder : side.table.secondOrder,
          from: "\(side.table.name) WHERE 1 = 1")
      ]
    }
  }
}

extension KeyColumns {
  /// Adds both columns of a join table, whose pairs are deleted if one of their rows is removed.
  mutating func add(
    _ side: JoinSide, owner: SourceEntity, owners: Set<Int>, member: SourceEntity, members: Set<Int>
  ) {
    add(
      .init(table: side.table.name, column: side.owner),
      .init(target: owner, leaving: owners, companions: nil, entityColumn: nil))
    add(
      .init(table: side.table.name, column: side.member),
      .init(target: member, leaving: members, companions: nil, entityColumn: nil))
  }
}
