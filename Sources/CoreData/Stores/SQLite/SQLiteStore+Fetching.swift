extension SQLiteStore {
  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    guard case .rows = fetch.output, fetch.predicate == nil, fetch.sort.isEmpty, fetch.limit == 0,
      fetch.offset == 0
    else { throw Failure.unsupportedFeature("A fetch other than of all rows of an entity from a SQLite store") }
    let query = try queries.rowQuery(fetch.layout, includesSubentities: fetch.includesSubentities)
    let files = externalFiles
    var rows = try translatingErrors {
      try pool.read(isFresh: true) { connection -> [RowSnapshot] in
        let statement = try connection.statement(
          "SELECT \(query.columns.joined(separator: ", ")) FROM \(query.entity.table) t0"
            + (query.entityCondition.map { " WHERE  \($0.sql) " } ?? ""))
        for (index, number) in (query.entityCondition?.numbers ?? []).enumerated() {
          statement.bind(Int64(number), at: Int32(index + 1))
        }
        connection.trace?.willRun(statement, parameters: [])
        defer { statement.reset() }
        return try query.rows(statement, files: files)
      }
    }
    rowCache.publish(&rows)
    return .rows(rows)
  }
}
