/// Fetching: plan, SQL text, statement, rows.
extension SQLiteReader {
  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    let query = try queries.rowQuery(fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: store.schema, translator: PredicateTranslator(store: store.identity))
    switch fetch.output {
    case .rows:
      let files = externalFiles
      let plan = try plan(fetch, output: .rows, query: query, planner: planner)
      let moment = rowCache.moment
      var rows = try run(plan, watch: fetch.watch) { try query.rows($0, files: files) }
      rowCache.publish(&rows, readAfter: moment)
      return .rows(rows)
    case .references:
      let found = RowReferences()
      try run(plan(fetch, output: .references, query: query, planner: planner), watch: fetch.watch) {
        try store.forEachReference($0, of: query.entity) { found.append($1, entity: $0) }
      }
      return .references(found)
    case .count:
      let count = try run(plan(fetch, output: .count, query: query, planner: planner), watch: fetch.watch) {
        try $0.step() ? Int($0.int(0)) : 0
      }
      return .count(fetch.cut(count: count))
    case .dictionaries(let request):
      let dictionary = try DictionaryQuery(planner, fetch: fetch, request: request, query: query)
      let plan = PlannedFetch(dictionary.select.fragment)
      return .dictionaries(try run(plan, watch: fetch.watch) { try dictionary.dictionaries($0, store) })
    }
  }

  /// Translates a fetch, unless one of the same shape was translated before.
  private func plan(
    _ fetch: FetchDescription, output: FetchShape.Output, query: RowQuery, planner: FetchPlanner
  ) throws -> PlannedFetch {
    var bindings: [Binding] = []
    guard
      let shape = FetchShape(
        fetch, output: output, entity: query.entity, translator: planner.translator, bindings: &bindings)
    else {
      return PlannedFetch(try planner.select(fetch, output: output, query).fragment)
    }
    let text = try queries.fetchText(shape) { try planner.select(fetch, output: output, query) }
    if let condition = query.entityCondition { bindings += condition.numbers }
    return PlannedFetch(text: .numbered(text), bindings: bindings)
  }

  /// Runs a select on a connection that sees every commit up to now, or up to the query generation.
  ///
  /// The text of a fetch depends only on its shape, not on its values. So a connection that ran a fetch of this shape
  /// before has its statement prepared.
  private func run<Result>(
    _ plan: PlannedFetch, watch: FetchWatch?, body: (Statement) throws -> Result
  ) throws -> Result {
    func watched(_ statement: Statement, _ connection: Connection) throws -> Result {
      guard let watch else { return try body(statement) }
      return try connection.watching(statement, watch: watch) { try body(statement) }
    }
    return try read(isFresh: true) { connection in
      let statement =
        switch plan.text {
        case .numbered(let text): try connection.statement(text)
        case .plain(let sql): try connection.statement(sql)
        }
      defer { statement.reset() }
      var place: Int32 = 0
      for binding in plan.bindings {
        place += 1
        binding.bind(to: statement, at: place)
      }
      guard let trace = connection.trace else { return try watched(statement, connection) }
      let start = DispatchTime.now().uptimeNanoseconds
      trace.willRun(statement, parameters: plan.bindings.map(\.text))
      if trace.level >= 4 { try explain(statement.sql, connection: connection, trace: trace) }
      let result = try watched(statement, connection)
      trace.annotate("sql connection fetch time: \(StatementTrace.seconds(since: start))")
      let count = (result as? any Collection)?.count ?? 1
      trace.annotate("total fetch execution time: \(StatementTrace.seconds(since: start)) for \(count) rows.")
      return result
    }
  }

  private func explain(_ sql: String, connection: Connection, trace: StatementTrace) throws {
    let plan = try Statement("EXPLAIN QUERY PLAN " + sql, in: connection.database, isKept: false)
    trace.detail("SQLite: EXPLAIN QUERY PLAN \(sql)")
    while try plan.step() { trace.detail("  \(plan.text(3) ?? "")") }
  }
}

/// The statement of a fetch, and the values of its parameters.
private struct PlannedFetch {
  enum Text {
    case numbered(StatementText)
    case plain(String)
  }

  let text: Text
  let bindings: [Binding]

  init(text: Text, bindings: [Binding]) {
    self.text = text
    self.bindings = bindings
  }

  init(_ fragment: SQLFragment) {
    text = .plain(fragment.sql)
    bindings = fragment.bindings
  }
}
