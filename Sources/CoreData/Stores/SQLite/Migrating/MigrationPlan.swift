/// The statements that bring a file to another version of its model, in order.
package struct MigrationPlan {
  package struct Step {
    package let sql: String
    /// The purpose of the statement, in the words of an error message.
    package let purpose: String
    /// A statement that counts the rows this one must write; nil if any number will do.
    package var count: String?
    /// The constraint that an index enforces.
    package var constraint: (entity: EntitySchema, attributes: [String])?
  }

  package var steps: [Step] = []
  /// The maps for the bits of recorded changes, by the source's Z_ENT.
  package var columnMaps: [Int: HistoryColumnMap] = [:]
  /// The highest key of each root entity's table, by the destination's Z_ENT.
  package var maximumKeys: [Int: Int64] = [:]
  /// Whether the plan puts something aside that is removed later.
  var defers = false
}

/// The facts about a file, besides its schema, that a migration depends on.
package struct MigrationFacts {
  package struct Index {
    package let name: String
    package let table: String
    let sql: String
    let columns: [String]
    /// Whether it belongs to a constraint of the table.
    package let isConstraint: Bool
    /// Whether it is known to be of the source's model, whatever its name.
    let isOfModel: Bool

    package init(
      name: String, table: String, sql: String, columns: [String], isConstraint: Bool = false, isOfModel: Bool = false
    ) {
      self.name = name
      self.table = table
      self.sql = sql
      self.columns = columns
      self.isConstraint = isConstraint
      self.isOfModel = isOfModel
    }

    /// The statement without quotation marks, because SQLite adds some when it renames a table.
    var plainSQL: String { MigrationFacts.plain(sql) }
  }

  /// The highest key of each root entity's table, by the table's name.
  package var maximumKeys: [String: Int64] = [:]
  package var indexes: [Index] = []
  /// The tables that declare a constraint, which gives them an index without a statement. Join tables are among them.
  var constrainedTables: Set<String> = []
  /// The triggers of derived attributes.
  var triggers: [String] = []
  /// The tables that other programs have put triggers on.
  package var triggeredTables: Set<String> = []
  /// The columns of ACHANGE; empty if the file has no history.
  package var historyColumns: Set<String> = []
  /// The tables in which CloudKit's mirroring names rows.
  var mirroring: [MirroringTable] = []
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
        + "IFNULL((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(number) AND TYPEOF(Z_MAX) = 'integer'), 0))"
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
      if type == "table", let found = try MirroringTable(name, connection) { mirroring.append(found) }
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

/// Maps the bits of a recorded change to the bits for the new model.
package struct HistoryColumnMap: Equatable {
  /// The new bit, by the old bit; nil for a property that no longer exists.
  package var bits: [Int?]
  /// The number of bits in the new model.
  package var count: Int

  func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: (count + 7) / 8)
    for (before, after) in bits.enumerated() {
      guard let after, before / 8 < bytes.count, bytes[before / 8] & (0x80 >> UInt8(before % 8)) != 0 else { continue }
      result[after / 8] |= 0x80 >> UInt8(after % 8)
    }
    return result
  }
}
