import CoreData
import StoreFileReader

/// What SQLite says of a store's tables: rows by entity, and what the model does not explain.
struct TableReport {
  /// Rows by Z_ENT, over all entity tables.
  private(set) var rows: [Int: Int] = [:]
  /// Z_NAME by Z_ENT.
  private(set) var names: [Int: String] = [:]
  /// Rows whose Z_ENT is in no row of Z_PRIMARYKEY, by table.
  private(set) var strangers: [(table: String, number: Int?, rows: Int)] = []
  private(set) var unexplainedTables: [(name: String, rows: Int, what: String?)] = []
  private(set) var unexplainedColumns: [(table: String, columns: [String])] = []

  private static let bookkeeping: Set<String> = [
    "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
  ]

  /// - Parameter store: nil where the stack could not open the file: then nothing is said to be unexplained.
  init(_ reader: StoreFileReader, _ store: NSPersistentStore?, indexNames: Set<String>) throws {
    let tables = try reader.tables()
    if tables.contains("Z_PRIMARYKEY") {
      for row in try reader.rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
        if let number = row[0].integer, let name = row[1].text { names[Int(number)] = name }
      }
    }
    let used = store?.columnsInUse ?? [:]
    for table in tables where !Self.bookkeeping.contains(table.uppercased()) {
      let columns = try reader.columns(of: table)
      let isCloud = table.hasPrefix("ANSCK")
      if columns.contains("Z_ENT"), !isCloud { try count(table, reader) }
      guard store != nil else { continue }
      guard let known = used[table.uppercased()] else {
        if indexNames.contains(where: { table == $0 || table.hasPrefix($0 + "_") }) { continue }
        unexplainedTables.append(
          (table, try reader.rowCount(of: table), isCloud ? "mirroring to CloudKit" : nil))
        continue
      }
      let strange = columns.filter { !known.contains($0.uppercased()) }
      if !strange.isEmpty { unexplainedColumns.append((table, strange)) }
    }
  }

  private mutating func count(_ table: String, _ reader: StoreFileReader) throws {
    let sql = "SELECT Z_ENT, count(*) FROM \(StoreFileReader.quoted(table)) GROUP BY Z_ENT"
    for row in try reader.rows(sql) {
      let number = row[0].integer.map(Int.init)
      let rows = Int(row[1].integer ?? 0)
      if let number { self.rows[number, default: 0] += rows }
      if number.map({ names[$0] == nil }) ?? true { strangers.append((table, number, rows)) }
    }
  }

  var lines: [String] {
    var lines: [String] = []
    for table in unexplainedTables {
      lines.append(
        "table \(table.name), \(counted(table.rows, "row"))" + (table.what.map { " (\($0))" } ?? ""))
    }
    for table in unexplainedColumns {
      let word = table.columns.count == 1 ? "column" : "columns"
      lines.append("\(word) \(table.columns.joined(separator: ", ")) of \(table.table)")
    }
    for stranger in strangers {
      let number = stranger.number.map { "Z_ENT \($0), which no entity has" } ?? "no Z_ENT"
      lines.append("\(counted(stranger.rows, "row")) of \(stranger.table) with \(number)")
    }
    return lines
  }

  var json: JSONValue {
    .record([
      "tables": .array(
        unexplainedTables.map {
          .record(["name": .string($0.name), "rows": .int($0.rows), "note": $0.what.map { .string($0) }])
        }),
      "columns": .array(
        unexplainedColumns.map { .record(["table": .string($0.table), "columns": .strings($0.columns)]) }),
      "rows": .array(
        strangers.map {
          .record([
            "table": .string($0.table), "number": .number($0.number), "rows": .int($0.rows),
          ])
        }),
    ])
  }
}

extension StoreFileReader {
  /// The names of a table's columns, in the table's order.
  func columns(of table: String) throws -> [String] {
    try rows("SELECT name FROM pragma_table_info(\(Self.literal(table))) ORDER BY cid").compactMap {
      $0[0].text
    }
  }

  static func literal(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }
}
