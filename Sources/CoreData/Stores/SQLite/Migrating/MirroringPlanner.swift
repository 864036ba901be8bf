/// A table of CloudKit's mirroring that names rows of entities. Apple's framework makes such tables in stores that it
/// synchronizes, and reads them again when it has the file back.
struct MirroringTable {
  /// The name for use in SQL.
  let name: String
  /// Whether it names rows, in ZENTITYPK, and not only entities, in ZENTITYID.
  let hasKeys: Bool

  /// Returns nil if the table is none of these.
  init?(_ table: String, _ connection: Connection) throws {
    guard table.uppercased().hasPrefix("ANSCK") else { return nil }
    let rows = try connection.rows("SELECT name FROM pragma_table_info(\(SQLName.literal(table)))")
    let columns = rows.compactMap { $0[0]?.uppercased() }
    guard columns.contains("ZENTITYID") else { return nil }
    name = SQLName.quoted(table)
    hasKeys = columns.contains("ZENTITYPK")
  }
}

/// Plans the renumbering of what CloudKit's mirroring has noted about rows.
///
/// A number and a key may be unique together, and SQLite checks that with each row that it changes. So the numbers go
/// through negative ones, which no entity has.
enum MirroringPlanner {
  static func plan(_ versions: MigrationVersions, _ moves: TableMoves) -> [MigrationPlan.Step] {
    if versions.facts.mirroring.isEmpty { return [] }
    var removed: [Int] = []
    var numbers: [(old: Int, new: Int)] = []
    var keys: [(number: Int, offset: Int64)] = []
    for entity in versions.source.schema.entities.compactMap({ $0 }) {
      let index = SourceEntity(index: entity.layout.index)
      guard let successor = versions.successor[index] else {
        removed.append(entity.number)
        continue
      }
      let new = versions.number(successor)
      let offset = moves.offset(versions.root(of: index), versions.root(of: successor))
      if new != entity.number || offset != 0 { numbers.append((entity.number, new)) }
      if offset != 0 { keys.append((entity.number, offset)) }
    }
    return versions.facts.mirroring.flatMap { table in
      forgetting(removed, in: table) + renumbering(table, numbers, offsets: keys)
    }
  }

  private static func forgetting(_ removed: [Int], in table: MirroringTable) -> [MigrationPlan.Step] {
    if removed.isEmpty { return [] }
    return [
      .init(
        sql: "DELETE FROM \(table.name) WHERE ZENTITYID IN (\(MigrationPlanner.list(removed)))",
        purpose: "forgetting removed entities in \(table.name)")
    ]
  }

  private static func renumbering(
    _ table: MirroringTable, _ numbers: [(old: Int, new: Int)], offsets: [(number: Int, offset: Int64)]
  ) -> [MigrationPlan.Step] {
    if numbers.isEmpty { return [] }
    let purpose = "renumbering \(table.name)"
    var sets = ["ZENTITYID = \(MigrationPlanner.renumbering("ZENTITYID", numbers.map { ($0.old, -$0.new) }))"]
    if table.hasKeys, !offsets.isEmpty {
      let cases = offsets.map { "WHEN \($0.number) THEN ZENTITYPK + \($0.offset)" }.joined(separator: " ")
      sets.append("ZENTITYPK = CASE ZENTITYID \(cases) ELSE ZENTITYPK END")
    }
    let (old, new) = (MigrationPlanner.list(numbers.map(\.old)), MigrationPlanner.list(numbers.map { -$0.new }))
    // A row that was left with the number of another entity, and names none any more, gives way.
    return [
      .init(
        sql: "UPDATE \(table.name) SET \(sets.joined(separator: ", ")) WHERE ZENTITYID IN (\(old))", purpose: purpose),
      .init(
        sql: "UPDATE OR REPLACE \(table.name) SET ZENTITYID = -ZENTITYID WHERE ZENTITYID IN (\(new))",
        purpose: purpose),
    ]
  }
}
