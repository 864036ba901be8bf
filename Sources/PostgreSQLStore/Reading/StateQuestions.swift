internal import CoreData
import Foundation

/// Answers the questions of a `RowReader` from one state of a store: the newest, or a pinned one.
struct StateQuestions {
  let store: PostgreSQLStore
  /// The cache for rows of this state.
  let rowCache: RowCache
  /// The connection of a pinned state; nil for the newest.
  var pinned: PinnedConnection?

  private var schema: StoreSchema { store.schema }
  private var plans: StatementPlans { store.plans }

  private func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    if let pinned { return try pinned.read(body) }
    if let result = try store.replica?.read(body) { return result }
    return try store.pool.read(body)
  }

  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    do {
      return try answer(fetch)
    } catch let error as ServerError {
      guard let why = error.refusal(of: fetch.computations) else { throw error.failure }
      throw StoreFailure.refused(why, entity: fetch.layout.name)
    }
  }

  private func answer(_ fetch: FetchDescription) throws -> FetchOutcome {
    let plan = try plans.rowPlan(fetch.layout, includesSubentities: fetch.includesSubentities)
    let translator = PredicateTranslator(store: store.identity, dialect: .postgreSQL)
    let planner = FetchPlanner(schema: schema, translator: translator)
    switch fetch.output {
    case .rows:
      let moment = rowCache.moment
      var rows = try plan.rows(run(fetch, .rows, plan, planner), fetch.watch)
      try fetch.watch?.countRows(rows.count)
      rowCache.publish(&rows, readAfter: moment)
      return .rows(rows)
    case .references:
      return .references(
        RowReferences(try references(run(fetch, .references, plan, planner), of: plan.query.entity)))
    case .count:
      return .count(fetch.cut(count: Int(try run(fetch, .count, plan, planner).int(0, 0))))
    case .dictionaries(let request):
      let query = try DictionaryQuery(planner, fetch: fetch, request: request, query: plan.query)
      let fragment = query.select.fragment(.postgreSQL)
      let rows = try read { try $0.execute(fragment.numberedText, Parameters(fragment.bindings)) }
      return .dictionaries(try DictionaryRows(query, schema, store.identity).dictionaries(rows))
    }
  }

  /// Runs a fetch. A simple fetch uses the text kept for its shape, which does not depend on the values.
  private func run(
    _ fetch: FetchDescription, _ output: FetchShape.Output, _ plan: RowPlan, _ planner: FetchPlanner
  ) throws -> ServerRows {
    var bindings: [Binding] = []
    let text: String
    if let shape = FetchShape(
      fetch, output: output, entity: plan.query.entity, translator: planner.translator, bindings: &bindings)
    {
      text = try plans.fetchText(shape) { try planner.select(fetch, output: output, plan.query) }
      if let condition = plan.query.entityCondition { bindings += condition.numbers }
    } else {
      let fragment = try planner.select(fetch, output: output, plan.query).fragment(.postgreSQL)
      (text, bindings) = (fragment.numberedText, fragment.bindings)
    }
    let parameters = try Parameters(bindings)
    return try read { try $0.execute(text, parameters) }
  }

  /// Returns references from a result whose first two columns are Z_ENT and Z_PK. The rows are of the entity or its
  /// subentities, or of any entity if it is nil. The first column is not read where the table is the entity's alone.
  func references(_ rows: ServerRows, of members: EntitySchema?) throws -> [RowReference] {
    let fixed = members.flatMap { $0.sharesTable ? nil : $0.layout.index }
    for column in fixed == nil ? 0...1 : 1...1 where rows.type(column) != ServerType.integer.oid {
      throw StoreFailure.incompatibleSchema(
        store.url!, table: members?.table ?? "Z_PRIMARYKEY",
        "its column \(rows.name(column)) is of the type with the OID \(rows.type(column)), not bigint")
    }
    return try (0..<rows.count).map { row in
      guard let entity = fixed ?? schema.index(ofNumber: Int(rows.int(row, 0))),
        members.map({ $0.layout.subtree.contains(entity) }) ?? true
      else {
        throw StoreFailure.incompatibleSchema(
          store.url!, table: members?.table ?? "Z_PRIMARYKEY",
          "the row \(rows.int(row, 1)) has the Z_ENT \(rows.int(row, 0)), which "
            + (members.map { "is not \($0.layout.name)'s" } ?? "no entity has"))
      }
      let key = rows.int(row, 1)
      guard key > 0 else {
        let name = store.layouts[entity].name
        throw StoreFailure.incompatibleSchema(
          store.url!, table: name.uppercased(), "a row of \(name) is referred to by the Z_PK \(key)")
      }
      return RowReference(entity: entity, key: key)
    }
  }

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    try store.translatingErrors { try read { try rows(forKeys: keys, in: root, $0) } }
  }

  func rows(forKeys keys: [Int64], in root: EntityLayout, _ connection: Connection) throws -> [RowSnapshot] {
    let plan = try plans.rowPlan(root)
    var parameters = Parameters()
    parameters.add(keys: keys)
    let moment = rowCache.moment
    var rows = try plan.rows(connection.execute(plans.faultText(plan), parameters))
    rowCache.publish(&rows, readAfter: moment)
    return rows
  }

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    let found = try members(
      of: relationship, owners: [owner.key], store.layouts[Int(owner.entity)], referencesOnly: true)
    return try references(found.rows, of: found.plan.query.entity)
  }

  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    let moment = rowCache.moment
    let found = try members(of: relationship, owners: keys, layout, referencesOnly: false)
    let members = try found.plan.memberRows(found.rows)
    var rows = members.map(\.row)
    rowCache.publish(&rows, readAfter: moment)
    return zip(members, rows).map { MemberRow(owner: $0.owner, row: $1) }
  }

  private func members(
    of relationship: LayoutProperty, owners keys: [Int64], _ layout: EntityLayout, referencesOnly: Bool
  ) throws -> (rows: ServerRows, plan: RowPlan) {
    let plan = try plans.rowPlan(store.layouts[relationship.destination])
    let text = try plans.memberText(relationship, of: layout, plan, referencesOnly: referencesOnly)
    var parameters = Parameters()
    parameters.add(keys: keys)
    return (try store.translatingErrors { try read { try $0.execute(text, parameters) } }, plan)
  }
}
