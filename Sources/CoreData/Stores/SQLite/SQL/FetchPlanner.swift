/// Turns a fetch description into a SELECT. It keeps no state.
package struct FetchPlanner {
  package let schema: StoreSchema
  package let translator: PredicateTranslator

  package init(schema: StoreSchema, translator: PredicateTranslator) {
    self.schema = schema
    self.translator = translator
  }

  /// The select of a fetch, for one of the outputs of a `FetchShape`.
  package func select(_ fetch: FetchDescription, output: FetchShape.Output, _ query: RowQuery) throws
    -> SelectStatement
  {
    switch output {
    case .rows: return try select(fetch, query, columns: query.columns)
    // Z_ENT, or 0, and Z_PK.
    case .references: return try select(fetch, query, columns: Array(query.columns.prefix(2)))
    // COUNT(*) gives one row, which LIMIT can't cut: the reader cuts the number.
    case .count:
      var whole = fetch.uncut
      whole.sort = []
      return try select(whole, query, columns: [.word("COUNT(*)")])
    }
  }

  package func select(
    _ fetch: FetchDescription, _ query: RowQuery, columns: [SQLExpression]
  ) throws -> SelectStatement {
    let scope = QueryScope(schema, fetch.layout)
    var select = SelectStatement(columns, from: .named(query.entity.table, as: "t0"))
    try addConditions(fetch, query: query, scope: scope, to: &select)
    select.order = try fetch.sort.map { try order($0, scope) }
    orderByKey(fetch, &select)
    select.joins = scope.joins
    select.limit = fetch.limit
    select.offset = fetch.offset
    return select
  }

  /// Orders rows with equal sort values by their keys, so that the pages of a fetch miss no row and repeat none. SQLite
  /// does that by itself; other engines must be told to.
  func orderByKey(_ fetch: FetchDescription, _ select: inout SelectStatement) {
    guard !translator.dialect.ordersByKey, !select.order.isEmpty || fetch.limit > 0 || fetch.offset > 0 else { return }
    select.order.append(SelectStatement.Order(value: .column("t0", "Z_PK")))
  }

  func addConditions(
    _ fetch: FetchDescription, query: RowQuery, scope: QueryScope, to select: inout SelectStatement
  ) throws {
    if let predicate = fetch.predicate {
      var translator = translator
      translator.stopsEarly = fetch.limit > 0 && fetch.sort.first.map(fetch.layout.isOrdered) ?? true
      let condition = try translator.condition(predicate, scope)
      if !condition.isAlways { select.conditions.append(condition) }
    }
    if let (condition, _) = query.entityCondition { select.conditions.append(condition) }
  }

  /// A column to sort by. Nulls come first, as in SQLite.
  func order(_ key: SortKey, _ scope: QueryScope) throws -> SelectStatement.Order {
    let name = key.path.joined(separator: ".")
    try key.checkTranslatable(entity: scope.source.layout.name)
    if key.path.contains(where: { $0.hasPrefix("@") }) {
      throw scope.refused("a sort by the collection operator in \(name) is not possible in SQLite")
    }
    let value: SQLExpression
    switch try translator.operand(key.path.isEmpty ? .evaluatedObject : .keyPath(key.path), scope) {
    case .value(let column, _), .reference(let column, _): value = column
    case .collection: throw scope.refused("to-many key not allowed here: a sort by \(name)")
    case .entity, .constant: throw scope.refused("a sort by \(name)")
    }
    return SelectStatement.Order(value: value, collation: key.collation, ascending: key.ascending)
  }
}

extension SortKey.Collation {
  /// The name of the collation that orders texts this way; nil for SQLite's own order.
  var sqlName: String? {
    switch self {
    case .binary: nil
    case .caseInsensitive: "NSCollateNoCase"
    case .localized: "NSCollateLocale"
    case .localizedCaseInsensitive: "NSCollateLocaleNoCase"
    case .localizedStandard: "NSCollateLocaleSensitive"
    }
  }
}
