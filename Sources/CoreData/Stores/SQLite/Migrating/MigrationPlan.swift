/// What brings a file to another version of its model: statements, in order.
package struct MigrationPlan {
  package struct Step {
    package let sql: String
    /// What it is for, as an error says it.
    package let purpose: String
    /// Counts the rows that the statement has to write; nil where any number will do.
    package var count: String?
    /// What an index makes unique.
    package var constraint: (entity: EntitySchema, attributes: [String])?
  }

  package var steps: [Step] = []
  /// How the bits of recorded changes are to be read, by Z_ENT before.
  var columnMaps: [Int: HistoryColumnMap] = [:]
  /// The highest key of each root entity's table, by Z_ENT after.
  package var maximumKeys: [Int: Int64] = [:]
  /// Whether something was put aside, to be removed later.
  var defers = false
}

/// What of a file, beside its schema, a migration depends on.
package struct MigrationFacts {
  package struct Index {
    package let name: String
    package let table: String
    let sql: String
    let columns: [String]
    /// Whether it goes with a constraint of the table.
    package let isConstraint: Bool

    package init(name: String, table: String, sql: String, columns: [String], isConstraint: Bool = false) {
      self.name = name
      self.table = table
      self.sql = sql
      self.columns = columns
      self.isConstraint = isConstraint
    }

    /// The statement without quotes that it does not need: SQLite puts some in when it renames a table.
    var plainSQL: String { MigrationFacts.plain(sql) }
  }

  /// The last key of each table that a root entity has.
  package var maximumKeys: [String: Int64] = [:]
  package var indexes: [Index] = []
  /// Tables with a constraint of their own, which has an index that no statement makes; join tables have one too.
  var constrainedTables: Set<String> = []
  /// The triggers of derived attributes.
  var triggers: [String] = []
  /// The tables that others have put triggers on.
  package var triggeredTables: Set<String> = []
  /// The columns of ACHANGE; none where the file has no history.
  var historyColumns: Set<String> = []
  /// The names of all tables and indexes, in capitals.
  package var names: Set<String> = []

  package init() {}

  static func plain(_ sql: String) -> String {
    sql.replacingOccurrences(of: "\"", with: "").replacingOccurrences(of: "  ", with: " ")
  }
}

extension MigrationFacts {
  init(_ connection: Connection, _ source: SchemaPlan) throws {
    for table in source.tables {
      let number = source.schema.entity(at: table.root.index).number
      let sql =
        "SELECT MAX(IFNULL((SELECT MAX(Z_PK) FROM \(table.name)), 0), "
        + "IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)), 0))"
      maximumKeys[table.name] = try connection.rows(sql).first?[0].flatMap { Int64($0) } ?? 0
    }
    let rows = try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    for row in rows {
      guard let type = row[0], let name = row[1], let table = row[2] else { continue }
      if type != "trigger" { names.insert(name.uppercased()) }
      if type == "trigger" {
        if name.hasPrefix("Z_DA_") {
          triggers.append(SQLName.quoted(name))
        } else {
          triggeredTables.insert(SQLName.quoted(table.uppercased()))
        }
      }
      guard type == "index" else { continue }
      guard let sql = row[3] else {
        constrainedTables.insert(SQLName.quoted(table.uppercased()))
        continue
      }
      let quoted = name.replacingOccurrences(of: "'", with: "''")
      let columns = try connection.rows("SELECT name FROM pragma_index_info('\(quoted)')")
      indexes.append(
        Index(
          name: name, table: SQLName.quoted(table.uppercased()), sql: sql,
          columns: columns.compactMap { $0[0].map { SQLName.quoted($0.uppercased()) } }))
    }
    historyColumns = Set(
      try connection.rows("SELECT name FROM pragma_table_info('ACHANGE')").compactMap { $0[0]?.uppercased() })
  }
}

/// Which bit of a recorded change becomes which.
struct HistoryColumnMap: Equatable {
  /// By the bit before; nil for a property that is no more.
  var bits: [Int?]
  /// How many bits there are after.
  var count: Int

  func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: (count + 7) / 8)
    for (before, after) in bits.enumerated() {
      guard let after, before / 8 < bytes.count, bytes[before / 8] & (0x80 >> UInt8(before % 8)) != 0 else { continue }
      result[after / 8] |= 0x80 >> UInt8(after % 8)
    }
    return result
  }
}
