/// Fetching: plan, text, statement, rows.
extension SQLiteStore {
  func rows(for fetch: FetchDescription, in generation: SQLiteGeneration?) throws -> FetchOutcome {
    let query = try queries.rowQuery(fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: schema, translator: PredicateTranslator(store: identity))
    switch fetch.output {
    case .rows:
      let files = externalFiles
      var rows = try run(planner.rows(fetch, query), generation) { try query.rows($0, files: files) }
      (generation?.rowCache ?? rowCache).publish(&rows)
      return .rows(rows)
    case .references:
      let entity = query.entity.sharesTable ? -1 : query.entity.layout.index
      return .references(try run(planner.references(fetch, query), generation) { try references($0, entity: entity) })
    case .count:
      let count = try run(planner.count(fetch, query), generation) { try $0.step() ? Int($0.int(0)) : 0 }
      let rest = max(count - fetch.offset, 0)
      return .count(fetch.limit > 0 ? min(rest, fetch.limit) : rest)
    case .dictionaries(let request):
      let dictionary = try DictionaryQuery(planner, fetch, request, query)
      return .dictionaries(try run(dictionary.select, generation) { try dictionary.dictionaries($0, self) })
    }
  }

  /// Runs a select on a reader that sees every commit up to now, or up to the generation.
  ///
  /// The text of a fetch depends on its shape only, never on its values, so a connection that has run such a
  /// fetch before has its statement prepared.
  private func run<Result>(
    _ select: SelectStatement, _ generation: SQLiteGeneration?, _ body: (Statement) throws -> Result
  ) throws -> Result {
    let fragment = select.fragment
    let start = DispatchTime.now().uptimeNanoseconds
    return try translatingErrors {
      try read(isFresh: true, in: generation) { connection in
        let statement = try connection.statement(fragment.sql)
        defer { statement.reset() }
        for (index, binding) in fragment.bindings.enumerated() { binding.bind(to: statement, at: Int32(index + 1)) }
        if let trace = connection.trace {
          trace.willRun(statement, parameters: fragment.bindings.map(\.text))
          if trace.level >= 4 { try explain(fragment, connection, trace) }
        }
        let result = try body(statement)
        if let trace = connection.trace {
          trace.annotate("sql connection fetch time: \(StatementTrace.seconds(since: start))")
          let count = (result as? any Collection)?.count ?? 1
          trace.annotate(
            "total fetch execution time: \(StatementTrace.seconds(since: start)) for \(count) rows.")
        }
        return result
      }
    }
  }

  private func explain(_ fragment: SQLFragment, _ connection: Connection, _ trace: StatementTrace) throws {
    let plan = try Statement("EXPLAIN QUERY PLAN " + fragment.sql, in: connection.database, isKept: false)
    trace.detail("SQLite: EXPLAIN QUERY PLAN \(fragment.sql)")
    while try plan.step() { trace.detail("  \(plan.text(3) ?? "")") }
  }
}
