import CoreData
import Foundation
import PostgreSQLStore
import StoreFileReader

/// The queries that a `TableReport` and a `HistoryReport` make. Table names are the same as in a SQLite file; for a
/// server, in upper case.
protocol TableReading {
  func tables() throws -> [String]

  /// The names of a table's columns, in the table's order.
  func columns(of table: String) throws -> [String]

  func rowCount(of table: String) throws -> Int

  /// Z_NAME by Z_ENT.
  func entityNames() throws -> [Int: String]

  /// Returns the number of rows of a table by Z_ENT.
  func rowsByEntity(of table: String) throws -> [(number: Int?, rows: Int)]

  /// Returns the rows of a statement as texts; nil for null and for bytes.
  func texts(_ sql: String) throws -> [[String?]]
}

extension StoreFileReader: TableReading {
  func columns(of table: String) throws -> [String] {
    try rows("SELECT name FROM pragma_table_info(\(Self.literal(table))) ORDER BY cid").compactMap {
      $0[0].text
    }
  }

  func entityNames() throws -> [Int: String] {
    var names: [Int: String] = [:]
    for row in try rows("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
      if let number = row[0].integer, let name = row[1].text { names[Int(number)] = name }
    }
    return names
  }

  func rowsByEntity(of table: String) throws -> [(number: Int?, rows: Int)] {
    try rows("SELECT Z_ENT, count(*) FROM \(Self.quoted(table)) GROUP BY Z_ENT").map {
      ($0[0].integer.map(Int.init), Int($0[1].integer ?? 0))
    }
  }

  func texts(_ sql: String) throws -> [[String?]] {
    try rows(sql).map { row in
      row.map { value in
        switch value {
        case .null, .blob: nil
        case .integer, .real, .text: value.description
        }
      }
    }
  }

  static func literal(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }
}

/// The tables of a store on a server.
struct ServerTables: TableReading {
  let store: PostgreSQLStore

  init(_ store: PostgreSQLStore) { self.store = store }

  func tables() throws -> [String] {
    try store.texts(
      "SELECT upper(relname) FROM pg_class WHERE relkind IN ('r', 'p') AND "
        + "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY relname"
    ).compactMap { $0[0] }
  }

  func columns(of table: String) throws -> [String] {
    try store.texts(
      "SELECT upper(attname) FROM pg_attribute WHERE attnum > 0 AND NOT attisdropped "
        + "AND attrelid = to_regclass(\(StoreFileReader.literal(try identifier(table)))) ORDER BY attnum"
    ).compactMap { $0[0] }
  }

  func rowCount(of table: String) throws -> Int {
    Int(try store.texts("SELECT count(*) FROM \(identifier(table))").first?[0] ?? "") ?? 0
  }

  func entityNames() throws -> [Int: String] {
    var names: [Int: String] = [:]
    for row in try store.texts("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY") {
      if let number = row[0].flatMap({ Int($0) }), let name = row[1] { names[number] = name }
    }
    return names
  }

  func rowsByEntity(of table: String) throws -> [(number: Int?, rows: Int)] {
    try store.texts("SELECT Z_ENT, count(*) FROM \(identifier(table)) GROUP BY Z_ENT ORDER BY Z_ENT").map {
      ($0[0].flatMap { Int($0) }, $0[1].flatMap { Int($0) } ?? 0)
    }
  }

  func texts(_ sql: String) throws -> [[String?]] { try store.texts(sql) }

  /// Returns a table's name as the server knows it, quoted if necessary.
  private func identifier(_ table: String) throws -> String {
    let names = try store.texts(
      "SELECT quote_ident(relname) FROM pg_class WHERE relkind IN ('r', 'p') AND "
        + "upper(relname) = \(StoreFileReader.literal(table)) AND "
        + "relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY relname LIMIT 1")
    guard let name = names.first?[0] else { throw InspectionFailure("The table \(table) has gone meanwhile.") }
    return name
  }
}

extension URL {
  /// The path of a file, or any other URL as text.
  var inWords: String { isFileURL ? path : absoluteString }
}
