/// Finds rows by key, which is how faults fire.
extension SQLiteReader {
  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let query = try queries.rowQuery(root, includesSubentities: true)
    let files = externalFiles
    var rows = try read(isFresh: false) { connection -> [RowSnapshot] in
      if keys.count == 1 {
        return try self.rows(ArraySlice(keys), query: query, size: 0, connection: connection, files: files)
      }
      var rows: [RowSnapshot] = []
      rows.reserveCapacity(keys.count)
      var rest = keys[...]
      while !rest.isEmpty {
        let size = QueryPlans.keyCounts.firstIndex { $0 >= rest.count } ?? QueryPlans.keyCounts.count - 1
        let count = min(QueryPlans.keyCounts[size], rest.count)
        rows += try self.rows(rest.prefix(count), query: query, size: size, connection: connection, files: files)
        rest = rest.dropFirst(count)
      }
      return rows
    }
    rowCache.publish(&rows)
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
    _ keys: ArraySlice<Int64>, query: RowQuery, size: Int, connection: Connection, files: ExternalFiles
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
}
