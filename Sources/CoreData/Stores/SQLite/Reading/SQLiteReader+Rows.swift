/// Finds rows by key, which is how faults fire.
extension SQLiteReader {
  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let query = try queries.rowQuery(root, includesSubentities: true)
    // In order, so that no page of the table is read for more than two statements.
    let keys = keys.count > QueryPlans.keyCounts.last! ? keys.sorted() : keys
    var rows = try read(isFresh: false) { try self.rows(ofKeys: keys, query: query, connection: $0) }
    rowCache.publish(&rows)
    return rows
  }

  /// Reads the rows of these keys, which are not published yet.
  func rows(ofKeys keys: [Int64], query: RowQuery, connection: Connection) throws -> [RowSnapshot] {
    let files = externalFiles
    var rows: [RowSnapshot] = []
    rows.reserveCapacity(keys.count)
    try forEachPortion(of: keys, connection) {
      try connection.statement(queries.faultText(query, size: $0))
    } body: {
      rows += try query.rows($0, files: files)
    }
    return rows
  }

  /// Runs a statement for every 512 keys, and one for the rest.
  ///
  /// - Parameter statement: makes the statement with as many parameters as that place in `QueryPlans.keyCounts` says.
  func forEachPortion(
    of keys: [Int64], _ connection: Connection, statement: (_ size: Int) throws -> Statement,
    body: (Statement) throws -> Void
  ) throws {
    var rest = keys[...]
    while !rest.isEmpty {
      let size = QueryPlans.keyCounts.firstIndex { $0 >= rest.count } ?? QueryPlans.keyCounts.count - 1
      let portion = rest.prefix(QueryPlans.keyCounts[size])
      rest = rest.dropFirst(portion.count)
      let statement = try statement(size)
      defer { statement.reset() }
      statement.bind(keys: portion, of: QueryPlans.keyCounts[size])
      connection.trace?.willRun(statement, parameters: portion.map { "(int64)\($0)" })
      try body(statement)
    }
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
}

extension Statement {
  /// Binds keys to the first of so many parameters, and null to the others.
  fileprivate func bind(keys: ArraySlice<Int64>, of count: Int) {
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
