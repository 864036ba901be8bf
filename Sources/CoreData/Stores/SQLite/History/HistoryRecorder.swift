/// Writes the changes of one SQL transaction into the history, on the connection that writes.
///
/// Nothing is written before the first change, so a transaction without changes leaves no trace. Deletions are recorded
/// while the rows are still there: the values to preserve are copied from column to column. Not for several threads.
final class HistoryRecorder {
  private let history: SQLiteHistory
  private let connection: Connection
  private let origin: ChangeOrigin
  /// The number of the transaction; 0 before the first change.
  private(set) var transaction: Int64 = 0
  private var lastChange: Int64 = 0

  init(_ history: SQLiteHistory, connection: Connection, origin: ChangeOrigin) {
    self.history = history
    self.connection = connection
    self.origin = origin
  }

  private static let insertChange = StatementText(
    "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) "
      + "VALUES(?, \(HistoryTables.Table.change.rawValue), ?, ?, ?, ?, ?)")
  private static let insertTransaction = StatementText(
    "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) "
      + "VALUES(?, \(HistoryTables.Table.transaction.rawValue), ?, ?, ?, ?, ?)")
  private static let findString = StatementText("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?")
  private static let insertString = StatementText(
    "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES(?, \(HistoryTables.Table.string.rawValue), ?)")
  private static let writeMaximum = StatementText("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ?")

  /// Records all changes of a save. Must be called before the steps of the save run.
  func record(_ changes: ChangeSet) throws {
    for row in changes.inserted { try insert(row.reference) }
    var toMany = changes.toManyUpdates[...]
    for (number, update) in changes.updated.enumerated() {
      let own = toMany.prefix { $0.update == number }
      toMany = toMany.dropFirst(own.count)
      try self.update(update.row.reference, update.changed, toMany: own)
    }
    for row in changes.deleted { try delete(row.reference) }
  }

  func insert(_ row: RowReference) throws { try add(.insert, row: row, columns: nil) }

  func update(_ row: RowReference, _ slots: SlotMask, toMany: ArraySlice<ToManyChange> = []) throws {
    try add(.update, row: row, columns: history.columns(of: Int(row.entity)).bitmap(slots, toMany: toMany))
  }

  func delete(_ row: RowReference) throws {
    guard let text = history.deletion(of: Int(row.entity)) else { return try add(.delete, row: row, columns: nil) }
    let transaction = try openTransaction()
    let statement = try connection.statement(text)
    statement.bind(lastChange + 1, at: 1)
    statement.bind(Int64(history.schema.entity(at: Int(row.entity)).number), at: 2)
    statement.bind(row.key, at: 3)
    statement.bind(transaction, at: 4)
    connection.trace?.willRun(statement, parameters: ["(int64)\(row.key)"])
    try statement.run()
    lastChange += 1
  }

  /// Records rows, given by Z_ENT and Z_PK, whose derived attributes triggers have changed. Leaves out those that are
  /// known.
  func updateDerived(_ rows: [(number: Int, key: Int64)], but known: (RowReference) -> Bool) throws {
    var done: Set<RowReference> = []
    for row in rows {
      guard let entity = history.schema.index(ofNumber: row.number) else { continue }
      let reference = RowReference(entity: entity, key: row.key)
      if known(reference) || !done.insert(reference).inserted { continue }
      var derived = SlotMask()
      for property in history.schema.layouts[entity].slots
      where property.description is NSDerivedAttributeDescription { derived.insert(property.slot) }
      try update(reference, derived)
    }
  }

  /// Ends the transaction's part of the history. Must be called before the commit.
  func finishTransaction() throws {
    if transaction == 0 { return }
    try writeMaximum(transaction, .transaction)
    try writeMaximum(lastChange, .change)
  }

  private func add(_ type: NSPersistentHistoryChangeType, row: RowReference, columns: [UInt8]?) throws {
    let transaction = try openTransaction()
    let statement = try connection.statement(HistoryRecorder.insertChange)
    lastChange += 1
    statement.bind(lastChange, at: 1)
    statement.bind(Int64(type.rawValue), at: 2)
    statement.bind(Int64(history.schema.entity(at: Int(row.entity)).number), at: 3)
    statement.bind(row.key, at: 4)
    statement.bind(transaction, at: 5)
    if let columns {
      columns.withUnsafeBytes { statement.bind(blob: $0, at: 6) }
    } else {
      statement.bindNull(at: 6)
    }
    connection.trace?.willRun(statement, parameters: ["(int64)\(type.rawValue)", "(int64)\(row.key)"])
    try statement.run()
  }

  /// The number of the transaction. The first call writes the transaction.
  private func openTransaction() throws -> Int64 {
    if transaction > 0 { return transaction }
    let number = try history.lastKey(of: .transaction, connection) + 1
    lastChange = try history.lastKey(of: .change, connection)
    let process = ProcessInfo.processInfo.processName
    let texts = [origin.author, Bundle.main.bundleIdentifier ?? process, origin.contextName, process]
    let keys = try texts.map { try $0.map(key(of:)) }
    let statement = try connection.statement(HistoryRecorder.insertTransaction)
    statement.bind(number, at: 1)
    for (index, key) in keys.enumerated() {
      if let key { statement.bind(key, at: Int32(index + 2)) } else { statement.bindNull(at: Int32(index + 2)) }
    }
    statement.bind(Date().timeIntervalSinceReferenceDate, at: 6)
    connection.trace?.willRun(statement, parameters: ["(int64)\(number)"])
    try statement.run()
    transaction = number
    return number
  }

  /// The key of a text. Adds the text if it is new.
  private func key(of text: String) throws -> Int64 {
    let find = try connection.statement(HistoryRecorder.findString)
    find.bind(text: text, at: 1)
    connection.trace?.willRun(find, parameters: ["\"\(text)\""])
    defer { find.reset() }
    if try find.step() { return find.int(0) }
    let key = try history.lastKey(of: .string, connection) + 1
    let insert = try connection.statement(HistoryRecorder.insertString)
    insert.bind(key, at: 1)
    insert.bind(text: text, at: 2)
    connection.trace?.willRun(insert, parameters: ["(int64)\(key)", "\"\(text)\""])
    try insert.run()
    try writeMaximum(key, .string)
    return key
  }

  private func writeMaximum(_ maximum: Int64, _ table: HistoryTables.Table) throws {
    let statement = try connection.statement(HistoryRecorder.writeMaximum)
    statement.bind(maximum, at: 1)
    statement.bind(Int64(table.rawValue), at: 2)
    connection.trace?.willRun(statement, parameters: ["(int64)\(maximum)", "(int64)\(table.rawValue)"])
    try statement.run()
  }
}
