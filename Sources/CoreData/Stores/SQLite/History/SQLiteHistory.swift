/// The history of one SQLite store. Knows how changes of its entities look in the tables, and reads and deletes them.
///
/// Immutable except for what is under `lock`; any thread.
final class SQLiteHistory: StoreHistory, @unchecked Sendable {
  // `@unchecked Sendable`: immutable, and `lastOwn` and `known` are only touched under `lock`.

  /// The tables in the file, and what reads them.
  private struct Selects {
    let tables: HistoryTables
    let transactions: String
    let changes: StatementText
  }

  let schema: StoreSchema
  /// Unowned, because the store keeps this object.
  private unowned let store: SQLiteStore
  private let columnsByEntity: [HistoryColumns]
  private let deletions: [StatementText?]
  /// The columns that deletions preserve, by layout index. The nth is preserved in the column ZTOMBSTONE n.
  private let preserved: [[SlotColumn]]

  private let lock = NSLock()
  private var lastOwn: Int64 = 0
  private var known: Selects

  init(_ store: SQLiteStore, _ tables: HistoryTables) {
    self.store = store
    let schema = store.schema!
    self.schema = schema
    columnsByEntity = schema.layouts.layouts.map(HistoryColumns.init)
    let preserved = schema.layouts.layouts.map { HistoryColumns.preserved(in: $0, schema) }
    self.preserved = preserved
    deletions = zip(schema.layouts.layouts, preserved).map { layout, columns in
      if columns.isEmpty { return nil }
      let tombstones = columns.indices.map { ", \(HistoryTables.tombstone($0))" }.joined()
      let values = columns.map { ", t0.\($0.name)" }.joined()
      return StatementText(
        "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID\(tombstones)) "
          + "SELECT ?1, \(HistoryTables.Table.change.rawValue), \(NSPersistentHistoryChangeType.delete.rawValue), "
          + "?2, ?3, ?4\(values) FROM \(schema.entity(at: layout.index).table) t0 "
          + "WHERE t0.Z_PK = ?3")
    }
    known = SQLiteHistory.selects(tables, tombstones: preserved.map(\.count).max() ?? 0)
  }

  private static func selects(_ tables: HistoryTables, tombstones count: Int) -> Selects {
    let tombstones = (0..<count).map { number in
      tables.has(HistoryTables.tombstone(number), .change) ? ", \(HistoryTables.tombstone(number))" : ", NULL"
    }
    let changes =
      "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, \(tables.has("ZCOLUMNS", .change) ? "ZCOLUMNS" : "NULL")"
      + "\(tombstones.joined()) FROM ACHANGE WHERE ZTRANSACTIONID = ? ORDER BY Z_PK"
    return Selects(tables: tables, transactions: transactionsSQL(tables), changes: StatementText(changes))
  }

  private static func transactionsSQL(_ tables: HistoryTables) -> String {
    var columns = ["t0.Z_PK", "t0.ZTIMESTAMP"]
    var joins = ""
    for (index, text) in HistoryTables.texts.enumerated() {
      let plain = tables.has(text.text, .transaction) ? "t0.\(text.text)" : "NULL"
      if tables.has(text.key, .transaction), tables.has(.string) {
        joins += " LEFT JOIN ATRANSACTIONSTRING s\(index) ON s\(index).Z_PK = t0.\(text.key)"
        columns.append("IFNULL(s\(index).ZNAME, \(plain))")
      } else {
        columns.append(plain)
      }
    }
    return "SELECT \(columns.joined(separator: ", ")) FROM ATRANSACTION t0\(joins)"
  }

  // For recorders.

  func columns(of entity: Int) -> HistoryColumns { columnsByEntity[entity] }

  /// The statement that records a deletion and the values to preserve; nil if there are none.
  func deletion(of entity: Int) -> StatementText? { deletions[entity] }

  func recorder(_ connection: Connection, _ origin: ChangeOrigin) -> HistoryRecorder {
    HistoryRecorder(self, connection: connection, origin: origin)
  }

  /// Called with each of the store's own transactions once it is committed.
  func didCommit(_ transaction: Int64) { lock.withLock { lastOwn = max(lastOwn, transaction) } }

  /// Called when the store moves to another file.
  func forgetLast() { lock.withLock { lastOwn = 0 } }

  /// The number of the last transaction that this store wrote; 0 for none.
  var lastWritten: Int64 { lock.withLock { lastOwn } }

  private static let lastKeys = Dictionary(
    uniqueKeysWithValues: HistoryTables.Table.allCases.map { table in
      let inTable = "IFNULL((SELECT MAX(Z_PK) FROM \(table.name)), 0)"
      let reserved = "IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(table.rawValue)), 0)"
      return (table, StatementText("SELECT MAX(\(inTable), \(reserved))"))
    })

  /// The last key that a table has given out; 0 for none. Throws if the file says that too few are left behind it, or
  /// has a text in place of a number, which SQLite takes for more than any key.
  func lastKey(of table: HistoryTables.Table, _ connection: Connection) throws -> Int64 {
    let statement = try connection.statement(SQLiteHistory.lastKeys[table]!)
    defer { statement.reset() }
    connection.trace?.willRun(statement, parameters: [])
    guard try statement.step() else { return 0 }
    guard statement.isNumber(0) else {
      throw Failure.incompatibleSchema(
        url: store.url ?? .storeInMemory, table: "Z_PRIMARYKEY",
        what: "its row \(table.rawValue) has the Z_MAX \(Failure.words(for: statement.text(0))), which is no number")
    }
    let last = max(statement.int(0), 0)
    // No transaction has more than four billion changes.
    guard last <= Int64.max - Int64(UInt32.max) else {
      throw store.noKeysLeft(row: "\(table.rawValue)", maximum: last)
    }
    return last
  }

  // Reading.

  /// Throws if the file has no history. Only a store that is opened read-only can lack one, until another store makes
  /// the tables.
  private func selects(_ connection: Connection) throws -> Selects {
    let last = lock.withLock { known }
    if last.tables.areThere { return last }
    let tables = try HistoryTables(connection)
    guard tables.areThere else { throw Failure.historyNotTracked(store: store.type, url: store.url) }
    let found = SQLiteHistory.selects(tables, tombstones: preserved.map(\.count).max() ?? 0)
    lock.withLock { known = found }
    return found
  }

  private func reading<Result>(_ body: (Connection, Selects) throws -> Result) throws -> Result {
    try store.translatingErrors {
      try store.withConnection(isFresh: true) { connection in
        try connection.transaction(.deferred) { try body(connection, selects(connection)) }
      }
    }
  }

  func lastNumber() throws -> Int64 { try reading { connection, _ in try lastKey(of: .transaction, connection) } }

  func read(
    after bound: HistoryBound, take: (HistoryTransactionRow) throws -> Bool,
    changes: (HistoryTransactionRow, [HistoryChangeRow]) throws -> Void
  ) throws {
    try reading { connection, selects in
      var condition = ""
      switch bound {
      case .start: break
      case .number(let number):
        let first = try connection.rows("SELECT MIN(Z_PK) FROM ATRANSACTION").first?[0].flatMap { Int64($0) }
        let last = try lastKey(of: .transaction, connection)
        if HistoryTables.isExpired(number, first: first, last: last) { throw Failure.historyTokenExpired }
        condition = " WHERE t0.Z_PK > ?"
      case .time: condition = " WHERE t0.ZTIMESTAMP > ?"
      }
      let statement = try connection.statement("\(selects.transactions)\(condition) ORDER BY t0.Z_PK")
      defer { statement.reset() }
      bind(bound, to: statement)
      connection.trace?.willRun(statement, parameters: [])
      while try statement.step() {
        let row = transactionRow(statement)
        if try take(row) { try changes(row, readChanges(of: row.number, connection, selects)) }
      }
    }
  }

  /// The current row of the statement that selects transactions.
  private func transactionRow(_ statement: Statement) -> HistoryTransactionRow {
    HistoryTransactionRow(
      number: statement.int(0), time: statement.double(1), author: statement.text(2),
      contextName: statement.text(4), bundleID: statement.text(3), processID: statement.text(5))
  }

  private func bind(_ bound: HistoryBound, to statement: Statement) {
    switch bound {
    case .start: break
    case .number(let number): statement.bind(number, at: 1)
    case .time(let time): statement.bind(time, at: 1)
    }
  }

  /// The changes of one transaction. Leaves out those of entities that the model does not have.
  private func readChanges(
    of transaction: Int64, _ connection: Connection, _ selects: Selects
  ) throws -> [HistoryChangeRow] {
    let statement = try connection.statement(selects.changes)
    defer { statement.reset() }
    statement.bind(transaction, at: 1)
    connection.trace?.willRun(statement, parameters: ["(int64)\(transaction)"])
    var rows: [HistoryChangeRow] = []
    while try statement.step() {
      guard let entity = schema.index(ofNumber: Int(statement.int(2))) else { continue }
      let key = statement.int(3)
      guard key > 0 else {
        throw Failure.incompatibleSchema(
          url: store.url!, table: "ACHANGE", what: "the change \(statement.int(0)) is of the Z_PK \(key)")
      }
      var row = HistoryChangeRow(
        number: statement.int(0), type: Int(statement.int(1)), row: RowReference(entity: entity, key: key))
      if row.type == NSPersistentHistoryChangeType.update.rawValue, !statement.isNull(4) {
        row.updated = columnsByEntity[entity].properties(statement.blobBytes(4))
      }
      if row.type == NSPersistentHistoryChangeType.delete.rawValue {
        for (index, column) in preserved[entity].enumerated() {
          row.tombstone[column.property.name] = try value(
            statement, column: Int32(index + 5), property: column.property)
        }
        row.composeTombstone(schema.layouts[entity])
      }
      rows.append(row)
    }
    return rows
  }

  /// A preserved value, boxed.
  private func value(_ statement: Statement, column: Int32, property: LayoutProperty) throws -> Any? {
    if statement.isNull(column) { return nil }
    let value: Value
    switch property.form {
    case .integer: value = .int(statement.int(column))
    case .real: value = Value(real: statement.double(column), of: property.kind)
    case .text: value = statement.text(column).map { Value(text: $0, of: property.kind) } ?? .null
    case .uuid: value = statement.uuid(column).map(Value.uuid) ?? .null
    case .decimal: value = statement.decimal(column).map { .decimal(NSDecimalNumber(decimal: $0)) } ?? .null
    case .bytes where property.kind == .transformable:
      return try property.attribute.value(
        ofTransformable: Data(statement.blobBytes(column)), store: self.store.url)
    case .bytes: value = .data(Data(statement.blobBytes(column)))
    case .destination, .none: value = .null
    }
    return value.boxed(for: property)
  }

  // Deleting.

  func delete(before bound: HistoryBound, chosen: ((HistoryTransactionRow) throws -> Bool)?) throws -> Int {
    if store.isReadOnly { throw Failure.readOnlyStore(url: store.url, entity: nil) }
    let condition: String
    switch bound {
    case .start: return 0
    case .number: condition = "Z_PK < ?"
    case .time: condition = "ZTIMESTAMP < ?"
    }
    // Chosen before writing, and from rows that are all read: the program's predicate may use the store.
    let rows = try chosen.map { try transactions(before: bound, condition).filter($0) }
    return try store.translatingErrors {
      try store.pool.write { connection in
        try store.checkFile(connection)
        let count = try connection.transaction(.exclusive) {
          let count: Int
          if let rows {
            count = try rows.reduce(0) { try $0 + delete("Z_PK = ?", bound: .number($1.number), connection) }
          } else {
            count = try delete(condition, bound: bound, connection)
          }
          store.pool.willCommit()
          return count
        }
        store.pool.didCommit()
        return count
      }
    }
  }

  private func transactions(before bound: HistoryBound, _ condition: String) throws -> [HistoryTransactionRow] {
    try reading { connection, selects in
      let statement = try connection.statement("\(selects.transactions) WHERE t0.\(condition) ORDER BY t0.Z_PK")
      defer { statement.reset() }
      bind(bound, to: statement)
      connection.trace?.willRun(statement, parameters: [])
      var rows: [HistoryTransactionRow] = []
      while try statement.step() { rows.append(transactionRow(statement)) }
      return rows
    }
  }

  /// Deletes the transactions that meet a condition with one parameter, with their changes. Returns how many.
  private func delete(_ condition: String, bound: HistoryBound, _ connection: Connection) throws -> Int {
    for sql in [
      "DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM ATRANSACTION WHERE \(condition))",
      "DELETE FROM ATRANSACTION WHERE \(condition)",
    ] {
      let statement = try connection.statement(sql)
      bind(bound, to: statement)
      connection.trace?.willRun(statement, parameters: [])
      try statement.run()
    }
    return connection.changes
  }
}
