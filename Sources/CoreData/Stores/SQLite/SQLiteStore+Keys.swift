/// Reserving keys, in a small transaction of its own: what is reserved stays so even if the save then fails.
extension SQLiteStore {
  private static let readMaximum = StatementText("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
  private static let writeMaximum = StatementText(
    "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?")

  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 {
    let entity = try schema.entity(root)
    return try translatingErrors {
      try pool.write { connection in
        // No read depends on the maximum, so leases of readers go on.
        try connection.transaction(.exclusive) {
          let maximum = try readMaximum(entity, connection)
          guard (0...(Int64.max - Int64(count))).contains(maximum) else {
            throw Failure.incompatibleSchema(
              url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY",
              what: "its row \(entity.number) (\(root.name)) has the Z_MAX \(maximum), "
                + "the largest key there is")
          }
          try writeMaximum(maximum + Int64(count), entity, was: maximum, connection)
          return maximum + 1
        }
      }
    }
  }

  /// The last key that is taken or reserved, in a transaction.
  ///
  /// A file that was edited by hand may have rows behind its `Z_MAX`. This is looked at when a store takes its first
  /// key of a table, and put right.
  func readMaximum(_ entity: EntitySchema, _ connection: Connection) throws -> Int64 {
    let number = Int64(entity.number)
    let statement = try connection.statement(SQLiteStore.readMaximum)
    defer { statement.reset() }
    statement.bind(number, at: 1)
    connection.trace?.willRun(statement, parameters: ["(int64)\(number)"])
    guard try statement.step() else {
      throw Failure.incompatibleSchema(
        url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY", what: "it has no row \(number)")
    }
    let maximum = statement.int(0)
    if soundMaxima.contains(number) { return maximum }
    let last = try lastKey(in: entity.table, connection)
    guard last > maximum else {
      soundMaxima.insert(number)
      return maximum
    }
    // By its number alone: Z_MAX may be null, or no number.
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_ENT = \(number)")
    return last
  }

  /// Not told to who listens to the SQL of saves: it is run once for each table.
  private func lastKey(in table: String, _ connection: Connection) throws -> Int64 {
    let statement = try Statement("SELECT MAX(Z_PK) FROM \(table)", in: connection.database, isKept: false)
    return try statement.step() ? statement.int(0) : 0
  }

  func writeMaximum(_ maximum: Int64, _ entity: EntitySchema, was: Int64, _ connection: Connection) throws {
    let number = Int64(entity.number)
    let statement = try connection.statement(SQLiteStore.writeMaximum)
    statement.bind(maximum, at: 1)
    statement.bind(number, at: 2)
    statement.bind(was, at: 3)
    connection.trace?.willRun(
      statement, parameters: ["(int64)\(maximum)", "(int64)\(number)", "(int64)\(was)"])
    try statement.run()
  }

  /// Another program has put a row at a key that was reserved: `Z_MAX` has fallen behind while the store was open. The
  /// next key is taken after the table has been looked at.
  func keyIsTaken(_ row: RowSnapshot) -> Failure {
    let root = layouts.layouts[row.entity].root
    if let entity = try? schema.entity(root) { soundMaxima.remove(Int64(entity.number)) }
    return .incompatibleSchema(
      url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY",
      what: "the key \(row.key), the next for a new \(layouts.layouts[row.entity].name), already belongs to a row: "
        + "another program added rows without raising Z_MAX. Save again, and the store takes the next free keys")
  }
}
