/// Keys of new rows. A save names its keys, and takes them in the transaction that inserts the rows. A program that
/// wants ids before it saves reserves keys, in a small transaction.
extension SQLiteStore {
  private static let readMaximum = StatementText("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = ?")
  private static let writeMaximum = StatementText(
    "UPDATE OR FAIL Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?")

  func proposeKeys(_ count: Int, in root: EntityLayout) throws -> ProposedKeys? {
    let entity = try schema.entity(root)
    let named: Int64
    if let first = keyNumbers.propose(count, in: entity.number) {
      named = first
    } else {
      let maximum = try translatingErrors { try pool.write { try learnMaximum(entity, $0) } }
      guard let first = keyNumbers.propose(count, in: entity.number) else {
        throw noKeysLeft(root, entity: entity, maximum: maximum)
      }
      named = first
    }
    return ProposedKeys(root: root.index, first: named, last: named + (Int64(count) - 1))
  }

  func giveBack(_ keys: ProposedKeys) {
    if let entity = schema.entities[keys.root] { keyNumbers.giveBack(keys, in: entity.number) }
  }

  /// Takes named keys in the transaction that inserts their rows. Returns false if the save must name other keys,
  /// because another process may have taken these.
  func take(_ keys: ProposedKeys, _ connection: Connection) throws -> Bool {
    let entity = schema.entity(at: keys.root)
    switch keyNumbers.claim(keys, in: entity.number) {
    case .isTaken: return true
    case .isStale: return false
    case .raise(let former, let maximum):
      let number = Int64(entity.number)
      if try writeMaximum(maximum, ofNumber: number, was: former, by: connection) { return true }
      keyNumbers.forgetTable(entity.number)
      return false
    }
  }

  /// Remembers what became of the keys once the transaction is committed.
  func didTake(_ keys: ProposedKeys) { keyNumbers.didTake(keys, in: schema.entity(at: keys.root).number) }

  /// Gives back keys that were taken beside those of saves, before the store is closed. The file is as good without
  /// that, so this neither waits for another process nor fails.
  func giveBackStocks() {
    let stocks = keyNumbers.endStocks()
    if stocks.isEmpty { return }
    pool.write { connection in
      if connection.hasLostFile { return }
      try? connection.withoutWaiting {
        try connection.transaction(.exclusive) {
          for (table, used, maximum) in stocks {
            _ = try writeMaximum(used, ofNumber: Int64(table), was: maximum, by: connection)
          }
        }
      }
    }
  }

  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 {
    let entity = try schema.entity(root)
    return try translatingErrors {
      try pool.write { connection in
        var (former, first, last): (Int64, Int64, Int64) = (0, 0, 0)
        // No read depends on the maximum, so readers keep their leases.
        try connection.transaction(.exclusive) {
          former = try readMaximum(entity, connection)
          guard former >= 0, let free = keyNumbers.take(count, after: former, in: entity.number) else {
            throw noKeysLeft(root, entity: entity, maximum: former)
          }
          (first, last) = (free, free + (Int64(count) - 1))
          try raiseMaximum(to: last, of: entity, was: former, by: connection)
        }
        keyNumbers.didRaise(from: former, to: last, in: entity.number)
        return first
      }
    }
  }

  func noKeysLeft(_ root: EntityLayout, entity: EntitySchema, maximum: Int64) -> Failure {
    noKeysLeft(row: "\(entity.number) (\(root.name))", maximum: maximum)
  }

  /// - Parameter row: which of `Z_PRIMARYKEY`, by its number.
  func noKeysLeft(row: String, maximum: Int64) -> Failure {
    .incompatibleSchema(
      url: url ?? .storeInMemory, table: "Z_PRIMARYKEY",
      what: "its row \(row) has the Z_MAX \(maximum), and too few keys are left behind it")
  }

  /// Reads the last key that is taken or reserved, and remembers it.
  private func learnMaximum(_ entity: EntitySchema, _ connection: Connection) throws -> Int64 {
    let maximum = try readMaximum(entity, connection)
    if maximum >= 0 { keyNumbers.raiseMaximum(maximum, in: entity.number) }
    return maximum
  }

  /// Reads the last key that is taken or reserved, with the connection that writes.
  ///
  /// A file that was edited by hand may have rows with keys above its `Z_MAX`, or a `Z_MAX` that is null or no whole
  /// number. So the first call for each table looks at the table too, and corrects `Z_MAX`.
  func readMaximum(_ entity: EntitySchema, _ connection: Connection) throws -> Int64 {
    let number = Int64(entity.number)
    let statement = try connection.statement(SQLiteStore.readMaximum)
    defer { statement.reset() }
    statement.bind(number, at: 1)
    connection.trace?.willRun(statement, parameters: ["(int64)\(number)"])
    guard try statement.step() else {
      throw Failure.incompatibleSchema(
        url: url ?? .storeInMemory, table: "Z_PRIMARYKEY", what: "it has no row \(number)")
    }
    let maximum = statement.int(0)
    if soundMaxima.contains(number) { return maximum }
    let last = try lastKey(in: entity.table, connection)
    if last <= maximum, statement.isInteger(0) {
      soundMaxima.insert(number)
      return maximum
    }
    // Find the row by its number alone, because the old Z_MAX may be null, or no number.
    let sound = max(last, maximum)
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(sound) WHERE Z_ENT = \(number)")
    return sound
  }

  /// The largest key in a table. The trace of saves does not show this, because it runs only once for each table.
  private func lastKey(in table: String, _ connection: Connection) throws -> Int64 {
    let statement = try Statement("SELECT MAX(Z_PK) FROM \(table)", in: connection.database, isKept: false)
    return try statement.step() ? statement.int(0) : 0
  }

  /// Sets `Z_MAX` in the transaction that has read it.
  func raiseMaximum(to maximum: Int64, of entity: EntitySchema, was former: Int64, by connection: Connection) throws {
    guard try writeMaximum(maximum, ofNumber: Int64(entity.number), was: former, by: connection) else {
      throw Failure.incompatibleSchema(
        url: url ?? .storeInMemory, table: "Z_PRIMARYKEY",
        what: "the Z_MAX of its row \(entity.number) can't be set")
    }
  }

  /// Sets `Z_MAX`. Returns false if it was not `former`.
  private func writeMaximum(
    _ maximum: Int64, ofNumber number: Int64, was former: Int64, by connection: Connection
  ) throws -> Bool {
    let statement = try connection.statement(SQLiteStore.writeMaximum)
    statement.bind(maximum, at: 1)
    statement.bind(number, at: 2)
    statement.bind(former, at: 3)
    connection.trace?.willRun(
      statement, parameters: ["(int64)\(maximum)", "(int64)\(number)", "(int64)\(former)"])
    try statement.run()
    return connection.changes == 1
  }

  /// Makes the failure for a row whose key another program has used: it added rows without raising `Z_MAX` while the
  /// store was open. The next keys are taken only after a look at the table.
  func keyIsTaken(_ row: RowSnapshot) -> Failure {
    let root = layouts[row.entity].root
    if let entity = try? schema.entity(root) {
      soundMaxima.remove(Int64(entity.number))
      keyNumbers.forgetTable(entity.number)
    }
    return .incompatibleSchema(
      url: url ?? .storeInMemory, table: "Z_PRIMARYKEY",
      what: "the key \(row.key), the next for a new \(layouts[row.entity].name), already belongs to a row: "
        + "another program added rows without raising Z_MAX. Save again, and the store takes the next free keys")
  }
}
