/// Reserving keys, in a small transaction of its own: what is reserved stays so even if the save then fails.
extension SQLiteStore {
  private static let readMaximum = StatementText("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
  private static let writeMaximum = StatementText(
    "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?")

  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 {
    let number = Int64(try schema.entity(root).number)
    return try translatingErrors {
      try pool.write { connection in
        // No read depends on the maximum, so leases of readers go on.
        try connection.transaction(.exclusive) {
          let maximum = try readMaximum(number, connection)
          guard (0...(Int64.max - Int64(count))).contains(maximum) else {
            throw Failure.incompatibleSchema(
              url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY",
              what: "its row \(number) has the Z_MAX \(maximum)")
          }
          try writeMaximum(maximum + Int64(count), number, was: maximum, connection)
          return maximum + 1
        }
      }
    }
  }

  func readMaximum(_ number: Int64, _ connection: Connection) throws -> Int64 {
    let statement = try connection.statement(SQLiteStore.readMaximum)
    defer { statement.reset() }
    statement.bind(number, at: 1)
    connection.trace?.willRun(statement, parameters: ["(int64)\(number)"])
    guard try statement.step() else {
      throw Failure.incompatibleSchema(
        url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY", what: "it has no row \(number)")
    }
    return statement.int(0)
  }

  func writeMaximum(_ maximum: Int64, _ number: Int64, was: Int64, _ connection: Connection) throws {
    let statement = try connection.statement(SQLiteStore.writeMaximum)
    statement.bind(maximum, at: 1)
    statement.bind(number, at: 2)
    statement.bind(was, at: 3)
    connection.trace?.willRun(
      statement, parameters: ["(int64)\(maximum)", "(int64)\(number)", "(int64)\(was)"])
    try statement.run()
  }
}
