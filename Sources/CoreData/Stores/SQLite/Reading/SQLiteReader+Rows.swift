/// Finds rows by key, which is how faults fire.
extension SQLiteReader {
  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let query = try queries.rowQuery(root, includesSubentities: true)
    var rows = try read(isFresh: false) { try self.rows(ofKeys: keys, query: query, connection: $0) }
    rowCache.publish(&rows)
    return rows
  }

  /// Reads the rows of these keys, which are not published yet.
  func rows(ofKeys keys: [Int64], query: RowQuery, connection: Connection) throws -> [RowSnapshot] {
    if keys.count == 1 { return try rows(ArraySlice(keys), query: query, size: 0, connection: connection) }
    var rows: [RowSnapshot] = []
    rows.reserveCapacity(keys.count)
    // In order, so that no page of the table is read for more than two of the statements.
    var rest = (keys.count > QueryPlans.keyCounts.last! ? keys.sorted() : keys)[...]
    while !rest.isEmpty {
      let size = QueryPlans.keyCounts.firstIndex { $0 >= rest.count } ?? QueryPlans.keyCounts.count - 1
      let count = min(QueryPlans.keyCounts[size], rest.count)
      rows += try self.rows(rest.prefix(count), query: query, size: size, connection: connection)
      rest = rest.dropFirst(count)
    }
    return rows
  }

  func faultRow(forKey key: Int64, in root: EntityLayout) throws -> RowSnapshot? {
    let fault = try queries.fault(root)
    let files = externalFiles
    let found = try read(isFresh: false) { connection -> RowSnapshot? in
      let statement = try connection.statement(fault.text)
      statement.bind(key, at: 1)
      if connection.trace != nil { connection.trace?.willRun(statement, parameters: ["(int64)\(key)"]) }
      defer { statement.reset() }
      return try fault.query.row(statement, files: files)
    }
    return found.map(rowCache.publish)
  }

  private func rows(
    _ keys: ArraySlice<Int64>, query: RowQuery, size: Int, connection: Connection
  ) throws -> [RowSnapshot] {
    let statement = try connection.statement(queries.faultText(query, size: size))
    statement.bind(keys: keys, of: QueryPlans.keyCounts[size])
    connection.trace?.willRun(statement, parameters: keys.map { "(int64)\($0)" })
    defer { statement.reset() }
    return try query.rows(statement, files: externalFiles)
  }
}

extension Statement {
  /// Binds keys to the first of so many parameters, and null to the others.
  func bind(keys: ArraySlice<Int64>, of count: Int) {
    var place: Int32 = 0
    for key in keys {
      place += 1
      bind(key, at: place)
    }
    while place < count {
      place += 1
      bindNull(at: place)
    }
  }
}
