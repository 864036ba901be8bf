/// Finds rows by key, which is how faults fire.
extension SQLiteReader {
  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let query = try queries.rowQuery(root, includesSubentities: true)
    // In order, so that no page of the table is read for more than two statements.
    let keys = keys.count > KeyForm.limit ? keys.sorted() : keys
    let moment = rowCache.moment
    var rows = try read(isFresh: false) { try self.rows(ofKeys: keys, query: query, connection: $0) }
    rowCache.publish(&rows, readAfter: moment)
    return rows
  }

  /// Reads the rows of these keys, which are not published yet.
  func rows(ofKeys keys: [Int64], query: RowQuery, connection: Connection) throws -> [RowSnapshot] {
    let files = externalFiles
    var rows: [RowSnapshot] = []
    rows.reserveCapacity(keys.count)
    try forEachPortion(of: keys, connection) {
      try connection.statement(queries.faultText(query, $0))
    } body: {
      rows += try query.rows($0, files: files)
    }
    return rows
  }

  /// Runs statements until all keys were taken: one for every 512 keys, or for more if they follow each other.
  ///
  /// - Parameter statement: makes the statement that finds keys in this form.
  func forEachPortion(
    of keys: [Int64], _ connection: Connection, statement: (KeyForm) throws -> Statement,
    body: (Statement) throws -> Void
  ) throws {
    var rest = keys[...]
    while !rest.isEmpty {
      let (form, portion) = KeyForm.takePortion(of: &rest)
      let statement = try statement(form)
      defer { statement.reset() }
      let parameters = form.parameters(portion)
      statement.bind(keys: parameters, of: form.parameterCount)
      connection.trace?.willRun(statement, parameters: parameters.map { "(int64)\($0)" })
      try body(statement)
    }
  }

  func faultRow(forKey key: Int64, at places: PlaceTable) throws -> RowSnapshot? {
    let fault = try queries.fault(places)
    let files = externalFiles
    let moment = rowCache.moment
    let found = try read(isFresh: false) { connection -> RowSnapshot? in
      let statement = try connection.statement(fault.text)
      statement.bind(key, at: 1)
      if connection.trace != nil { connection.trace?.willRun(statement, parameters: ["(int64)\(key)"]) }
      defer { statement.reset() }
      return try fault.query.row(statement, files: files)
    }
    return found.map { rowCache.publish($0, readAfter: moment) }
  }
}

extension Statement {
  /// Binds keys to the first of so many parameters, and null to the others.
  fileprivate func bind(keys: [Int64], of count: Int) {
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
