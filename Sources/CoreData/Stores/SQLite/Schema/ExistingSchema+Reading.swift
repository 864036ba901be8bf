extension ExistingSchema {
  /// Reads the file's schema.
  init(url: URL, connection: Connection, metadata: [String: Any]) throws {
    guard try StoreMetadata.hasTable("Z_PRIMARYKEY", connection) else {
      throw Failure.incompatibleSchema(url: url, table: "Z_PRIMARYKEY", what: "there is no such table")
    }
    let rows = try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    let entities = rows.compactMap { row -> Entity? in
      guard let number = row[0].flatMap(Int.init), let name = row[1],
        (1..<ExistingSchema.firstForeignNumber).contains(number)
      else { return nil }
      return Entity(number: number, name: name, parent: row[2].flatMap(Int.init) ?? 0)
    }
    // The number is the table's key, unless another program has made the table again.
    var numbers: Set<Int> = []
    for entity in entities where !numbers.insert(entity.number).inserted {
      throw Failure.incompatibleSchema(
        url: url, table: "Z_PRIMARYKEY", what: "two rows have the Z_ENT \(entity.number)")
    }
    let tables = try ExistingSchema.readTables(connection)
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
    self.init(url: url, entities: entities, hashedNames: Set(hashes.keys), tables: tables)
    deferredTables = Set(
      try connection.rows(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\(DeferredNames.prefix)%'"
      )
      .compactMap { $0[0].map { SQLName.quoted($0.uppercased()) } })
    hasUnknownEntities = { table, numbers in
      // The index of Z_ENT answers this fast, because each range lies before, after or between the known numbers.
      let sorted = numbers.sorted()
      let gaps = zip(sorted, sorted.dropFirst()).filter { $1 - $0 > 1 }.map { "Z_ENT > \($0) AND Z_ENT < \($1)" }
      let ranges = ["Z_ENT IS NULL", "Z_ENT < \(sorted.first ?? 0)", "Z_ENT > \(sorted.last ?? 0)"] + gaps
      let probes = ranges.map { "EXISTS (SELECT 1 FROM \(table) WHERE \($0))" }.joined(separator: " OR ")
      return try connection.rows("SELECT \(probes)").first?[0] == "1"
    }
  }
}

extension ExistingSchema {
  /// The columns of all tables of the store, by the table's name.
  private static func readTables(_ connection: Connection) throws -> [String: [Column]] {
    var tables: [String: [Column]] = [:]
    var others: [String] = []
    try connection.forEachRow("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name LIKE 'Z%'") { row in
      guard let name = row.text(0) else { return }
      if let bytes = row.textBytes(0), let sql = row.textBytes(1), let table = TableDefinition(sql, table: bytes) {
        tables[SQLName.quoted(SQLName.inCapitals(name)), default: []] += table.columns
      } else {
        others.append(name)
      }
    }
    for name in others {
      tables[SQLName.quoted(SQLName.inCapitals(name)), default: []] += try columns(of: name, connection)
    }
    return tables
  }

  /// The columns of a table that was not made by a statement of ours.
  private static func columns(of table: String, _ connection: Connection) throws -> [Column] {
    try connection.rows("SELECT name, type, pk FROM pragma_table_info(\(SQLName.literal(table))) ORDER BY cid")
      .compactMap {
        row in
        guard let name = row[0] else { return nil }
        return Column(
          name: SQLName.quoted(SQLName.inCapitals(name)), type: SQLName.inCapitals(row[1] ?? ""), isKey: row[2] != "0")
      }
  }
}
