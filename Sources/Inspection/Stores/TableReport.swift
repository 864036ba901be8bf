import CoreData
import StoreFileReader

/// A report on a store's tables: rows by entity, and the tables, columns and rows that the model does not explain.
struct TableReport {
  /// The number of rows by Z_ENT, in the entity's own table, or in all tables if its table is not known.
  private(set) var rows: [Int: Int] = [:]
  /// Z_NAME by Z_ENT.
  private(set) var names: [Int: String] = [:]
  /// The numbers of stray rows, by table: their Z_ENT is not in Z_PRIMARYKEY, or its entity has another table.
  private(set) var strangers: [(table: String, number: Int?, rows: Int)] = []
  /// The tables of the entities, in capitals, by Z_ENT.
  private let homes: [Int: String]
  private(set) var unexplainedTables: [(name: String, rows: Int, what: String?)] = []
  private(set) var unexplainedColumns: [(table: String, columns: [String])] = []

  private static let bookkeeping: Set<String> = [
    "Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING", "Z_WRITERS",
    "ATRANSACTIONCOUNTER",
  ]

  /// - Parameter store: the open store; nil if it could not be opened. Then the report lists no unexplained tables and
  ///   columns.
  init(_ reader: any TableReading, _ store: NSPersistentStore?, indexNames: Set<String>) throws {
    let tables = try reader.tables()
    let map = store?.tableMap
    homes = Dictionary(
      (map?.entities ?? []).map { ($0.number, $0.table.replacingOccurrences(of: "\"", with: "").uppercased()) },
      uniquingKeysWith: { first, _ in first })
    if tables.contains("Z_PRIMARYKEY") { names = try reader.entityNames() }
    let used = map?.columns ?? [:]
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

  private mutating func count(_ table: String, _ reader: any TableReading) throws {
    for (number, rows) in try reader.rowsByEntity(of: table) {
      guard let number, names[number] != nil, homes[number].map({ $0 == table.uppercased() }) ?? true else {
        strangers.append((table, number, rows))
        continue
      }
      self.rows[number, default: 0] += rows
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
      lines.append("\(counted(stranger.rows, "row")) of \(stranger.table) with \(words(stranger.number))")
    }
    return lines
  }

  private func words(_ number: Int?) -> String {
    guard let number else { return "no Z_ENT" }
    guard let name = names[number], let home = homes[number] else { return "Z_ENT \(number), which no entity has" }
    return "Z_ENT \(number), which is \(name)'s, whose rows are in \(home)"
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
