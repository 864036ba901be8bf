/// Rows by key, and members of relationships: read in the transaction that an earlier read has left open, so
/// that faults fired one after another don't pay for one each; or in a generation.
extension SQLiteStore {
  func rows(
    forKeys keys: [Int64], in root: EntityLayout, _ generation: SQLiteGeneration?
  ) throws -> [RowSnapshot] {
    let query = try queries.rowQuery(root, includesSubentities: true)
    let files = externalFiles
    var rows = try translatingErrors {
      try read(isFresh: false, in: generation) { connection -> [RowSnapshot] in
        if keys.count == 1 { return try self.rows(ArraySlice(keys), query, size: 0, connection, files) }
        var rows: [RowSnapshot] = []
        rows.reserveCapacity(keys.count)
        var rest = keys[...]
        while !rest.isEmpty {
          let size = QueryPlans.keyCounts.firstIndex { $0 >= rest.count } ?? QueryPlans.keyCounts.count - 1
          let count = min(QueryPlans.keyCounts[size], rest.count)
          rows += try self.rows(rest.prefix(count), query, size: size, connection, files)
          rest = rest.dropFirst(count)
        }
        return rows
      }
    }
    (generation?.rowCache ?? rowCache).publish(&rows)
    return rows
  }

  func faultRow(
    forKey key: Int64, in root: EntityLayout, _ generation: SQLiteGeneration?
  ) throws -> RowSnapshot? {
    let fault = try queries.fault(root)
    let files = externalFiles
    let found = try translatingErrors {
      try read(isFresh: false, in: generation) { connection -> RowSnapshot? in
        let statement = try connection.statement(fault.text)
        statement.bind(key, at: 1)
        if connection.trace != nil { connection.trace?.willRun(statement, parameters: ["(int64)\(key)"]) }
        defer { statement.reset() }
        return try fault.query.row(statement, files: files)
      }
    }
    return found.map { (generation?.rowCache ?? rowCache).publish($0) }
  }

  func changedElsewhere(_ rows: [RowReference]) {
    rowCache.invalidate(rows)
    // Open transactions may still see what was there before.
    pool.didCommit()
  }

  private func rows(
    _ keys: ArraySlice<Int64>, _ query: RowQuery, size: Int, _ connection: Connection, _ files: ExternalFiles
  ) throws -> [RowSnapshot] {
    let statement = try connection.statement(queries.faultText(query, size: size))
    var place: Int32 = 0
    for key in keys {
      place += 1
      statement.bind(key, at: place)
    }
    while place < QueryPlans.keyCounts[size] {
      place += 1
      statement.bindNull(at: place)
    }
    connection.trace?.willRun(statement, parameters: keys.map { "(int64)\($0)" })
    defer { statement.reset() }
    return try query.rows(statement, files: files)
  }

  func members(
    of relationship: LayoutProperty, owner: RowReference, _ generation: SQLiteGeneration?
  ) throws -> [RowReference] {
    let plan = try queries.memberPlan(relationship, of: layouts.layouts[Int(owner.entity)])
    return try translatingErrors {
      try read(isFresh: false, in: generation) { connection in
        let statement = try connection.statement(plan.text)
        statement.bind(owner.key, at: 1)
        connection.trace?.willRun(statement, parameters: ["(int64)\(owner.key)"])
        defer { statement.reset() }
        return try references(statement, entity: plan.entity)
      }
    }
  }

  /// The rows of a statement that selects Z_ENT, or anything where `entity` is known, and Z_PK.
  func references(_ statement: Statement, entity: Int) throws -> [RowReference] {
    var references: [RowReference] = []
    while try statement.step() {
      var index = entity
      if index < 0 {
        let number = Int(statement.int(0))
        guard let found = schema.index(ofNumber: number) else {
          throw Failure.incompatibleSchema(
            url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY",
            what: "the row \(statement.int(1)) has Z_ENT \(number), which no entity has")
        }
        index = found
      }
      let key = statement.int(1)
      guard key > 0 else {
        throw Failure.incompatibleSchema(
          url: url ?? URL(fileURLWithPath: "/dev/null"), table: layouts.layouts[index].name.uppercased(),
          what: "a row of \(layouts.layouts[index].name) is referred to by the Z_PK \(key)")
      }
      references.append(RowReference(entity: index, key: key))
    }
    return references
  }
}
