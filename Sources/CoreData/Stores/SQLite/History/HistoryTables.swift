/// The tables of persistent history in a file.
///
/// | table | a row for each | Z_ENT |
/// |---|---|---|
/// | ACHANGE | changed row of a transaction | 16001 |
/// | ATRANSACTION | transaction | 16002 |
/// | ATRANSACTIONSTRING | text that transactions refer to: authors, names of contexts and programs | 16003 |
///
/// Each has a row in Z_PRIMARYKEY, too, whose Z_MAX is the last key that the table has given out. Files of older
/// systems have fewer columns, and texts in the transactions themselves.
///
/// A token is the key of the last transaction that its owner knows. It has expired if a transaction behind that is
/// gone: if the first one that is left is more than one above it.
struct HistoryTables {
  enum Table: Int, CaseIterable {
    case change = 16001
    case transaction = 16002
    case string = 16003

    var name: String {
      switch self {
      case .change: "ACHANGE"
      case .transaction: "ATRANSACTION"
      case .string: "ATRANSACTIONSTRING"
      }
    }

    /// The table's name in Z_PRIMARYKEY.
    var entityName: String { String(name.dropFirst()) }

    /// A row of Z_PRIMARYKEY for the table, as `INSERT` takes it.
    ///
    /// - Parameter last: the last key that was given out, as SQL.
    func keyRow(last: String) -> String {
      "INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(\(rawValue), '\(entityName)', 0, \(last))"
    }

    /// The columns after Z_PK, Z_ENT and Z_OPT.
    var columns: [(name: String, type: String)] {
      switch self {
      case .change:
        [
          ("ZCHANGETYPE", "INTEGER"), ("ZENTITY", "INTEGER"), ("ZENTITYPK", "INTEGER"),
          ("ZTRANSACTIONID", "INTEGER"), ("ZCOLUMNS", "BLOB"),
        ]
      case .transaction:
        columnsOfTransaction
      case .string: [("ZNAME", "VARCHAR")]
      }
    }

    private var columnsOfTransaction: [(name: String, type: String)] {
      var columns: [(name: String, type: String)] = HistoryTables.texts.map { ($0.key, "INTEGER") }
      columns.append(("ZTIMESTAMP", "FLOAT"))
      columns += HistoryTables.texts.map { ($0.text, "VARCHAR") }
      columns.append(("ZQUERYGEN", "BLOB"))
      return columns
    }
  }

  /// For each text of a transaction, the column that refers to it, and the column that held it in older files.
  static let texts: [(key: String, text: String)] = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"].map {
    ("Z\($0)TS", "Z\($0)")
  }

  private static let indexes: [String] =
    ["CREATE INDEX IF NOT EXISTS ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)"]
    + texts.map { "CREATE INDEX IF NOT EXISTS ATRANSACTION_\($0.key)_INDEX ON ATRANSACTION (\($0.key))" }
    + [
      "CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION (ZAUTHOR COLLATE BINARY ASC)",
      "CREATE INDEX IF NOT EXISTS Z_TRANSACTION_TransactionTimestampIndex "
        + "ON ATRANSACTION (ZTIMESTAMP COLLATE BINARY ASC)",
      "CREATE UNIQUE INDEX IF NOT EXISTS Z_TRANSACTIONSTRING_UNIQUE_NAME "
        + "ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC)",
    ]

  /// The columns that a file has, by table; none for a table that is missing.
  private let columns: [Table: Set<String>]

  /// The tables that have their row in Z_PRIMARYKEY. In a file of Apple's framework that nothing was saved to, none has
  /// one yet.
  private let counted: Set<Table>

  init(_ connection: Connection) throws {
    var columns: [Table: Set<String>] = [:]
    for table in Table.allCases {
      let rows = try connection.rows("SELECT name FROM pragma_table_info('\(table.name)')")
      columns[table] = Set(rows.compactMap { $0[0]?.uppercased() })
    }
    self.columns = columns
    // Asked with each opening, so the SQL log does not show it.
    let sql = "SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN 16001 AND 16003"
    let numbers = try Statement(sql, in: connection.database, isKept: false)
    var counted: Set<Table> = []
    while try numbers.step() {
      if let table = Table(rawValue: Int(numbers.int(0))) { counted.insert(table) }
    }
    self.counted = counted
  }

  func has(_ table: Table) -> Bool { columns[table]?.isEmpty == false }
  func has(_ column: String, _ table: Table) -> Bool { columns[table]?.contains(column) ?? false }

  /// Whether there is a history to read.
  var areThere: Bool { has(.change) && has(.transaction) }

  static func tombstone(_ number: Int) -> String { "ZTOMBSTONE\(number)" }

  /// Whether the file has all tables, columns and counts of keys that writing needs.
  func areComplete(tombstones: Int) -> Bool {
    counted.count == Table.allCases.count
      && Table.allCases.allSatisfy { table in table.columns.allSatisfy { has($0.name, table) } }
      && (0..<tombstones).allSatisfy { has(HistoryTables.tombstone($0), .change) }
  }

  /// The statements that make the tables, or complete existing ones.
  func statements(tombstones: Int) -> [String] {
    var statements: [String] = []
    for table in Table.allCases {
      var wanted = table.columns
      if table == .change { wanted += (0..<tombstones).map { (HistoryTables.tombstone($0), "BLOB") } }
      if has(table) {
        statements += wanted.filter { !has($0.name, table) }
          .map { "ALTER TABLE \(table.name) ADD COLUMN \($0.name) \($0.type)" }
      } else {
        let columns = wanted.map { ", \($0.name) \($0.type)" }.joined()
        statements.append(
          "CREATE TABLE \(table.name) ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )")
      }
    }
    statements += HistoryTables.indexes
    return statements + Table.allCases.filter { !counted.contains($0) }.map(count)
  }

  /// The statement that makes a table's row of Z_PRIMARYKEY. Rows may be there already.
  private func count(_ table: Table) -> String {
    let last = has(table) ? "(SELECT IFNULL(MAX(Z_PK), 0) FROM \(table.name))" : "0"
    return "INSERT OR IGNORE \(table.keyRow(last: last))"
  }

  /// Whether a token has expired.
  ///
  /// - Parameters:
  ///   - first: the first transaction that is left; nil if none is.
  ///   - last: the last one that there ever was.
  static func isExpired(_ token: Int64, first: Int64?, last: Int64) -> Bool {
    let first = first ?? last + 1
    // An older copy of the file may have taken its place: what it has done since has numbers that the token knows.
    return first > 0 && token < first - 1 || token > last
  }
}
