/// FETCH expressions become sub-selects. Nothing in them refers to the statement around, so that their tables may have
/// the names that its own have.
extension PredicateTranslator {
  func subFetch(_ request: ExpressionNode, _ scope: QueryScope) throws -> SubFetch {
    guard case .constant(.object(let object)) = request, let sub = object as? SubFetch else {
      throw PredicateTranslator.unsupported("A FETCH of \(PredicatePrinter.print(request)) in this place", scope)
    }
    return sub
  }

  /// `left IN FETCH(…)`: null is in no collection.
  func membership(
    of left: SQLOperand, in request: ExpressionNode, _ comparison: Comparison, _ scope: QueryScope, negated: Bool
  ) throws -> SQLFragment {
    let sub = try subFetch(request, scope)
    guard comparison.options.isEmpty else {
      throw PredicateTranslator.unsupported("IN with options before \(PredicatePrinter.print(comparison.right))", scope)
    }
    if case .collection(let collection) = left {
      return try exists(collection, negated: negated) { inner in
        let member = collection.rest.isEmpty ? ExpressionNode.evaluatedObject : .keyPath(collection.rest)
        return try membership(
          of: operand(member, inner), in: request, comparison, inner, negated: false)
      }
    }
    let never: SQLFragment = negated ? .always : .never
    let (select, column) = try subselect(sub, scope)
    let value: SQLFragment
    switch (left, column) {
    case (.constant(let constant), _):
      guard !constant.isNull, let bound = try binding(constant, for: column, scope) else { return never }
      value = " \(bound: bound)"
    case (.reference(_, let layout), .reference(_, let other)) where layout.rootIndex != other.rootIndex: return never
    default: value = try fragment(left, scope)
    }
    var list = select.fragment
    if sub.column != nil { list = "SELECT v FROM (\(list)) WHERE v IS NOT NULL" }
    return negated ? "(\(value) NOT IN (\(list)) OR\(value) IS NULL)" : "\(value) IN (\(list))"
  }

  /// What the fetch finds first.
  func first(of request: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand {
    let sub = try subFetch(request, scope)
    if sub.isCount { return try count(of: request, scope) }
    var (select, column) = try subselect(sub, scope)
    select.limit = 1
    let value: SQLFragment = " (\(select.fragment))"
    switch column {
    case .reference(_, let layout): return .reference(value, layout)
    case .value(_, let kind): return .value(value, kind)
    default: return .value(value, nil)
    }
  }

  /// How many the fetch finds.
  func count(of request: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand {
    let sub = try subFetch(request, scope)
    let query = try RowQuery(
      scope.schema, sub.fetch.layout, includesSubentities: sub.fetch.includesSubentities)
    let planner = FetchPlanner(schema: scope.schema, translator: self)
    if sub.fetch.limit == 0 { return .value(" (\(try planner.count(sub.fetch, query).fragment))", .int64) }
    let limited = try planner.select(sub.fetch, query, columns: ["1"])
    return .value(" (SELECT COUNT(*) FROM (\(limited.fragment)))", .int64)
  }

  /// The select of a fetch with the one column that it is about, named v, and what that column is.
  private func subselect(_ sub: SubFetch, _ scope: QueryScope) throws -> (SelectStatement, SQLOperand) {
    let fetch = sub.fetch
    let query = try RowQuery(scope.schema, fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: scope.schema, translator: self)
    guard case .dictionaries(let dictionaries) = fetch.output, let column = sub.column else {
      let select = try planner.select(fetch, query, columns: ["t0.Z_PK"])
      return (select, .reference("", fetch.layout))
    }
    var select = try DictionaryQuery(planner, fetch, dictionaries, query).select
    select.columns = ["\(select.columns[0]) AS v"]
    // What the column holds, for the type of what is compared with it; an aggregate is a number of its own kind.
    if let type = column.type, type != .undefinedAttributeType { return (select, .value("", SlotKind(type))) }
    if case .keyPath(let path) = column.expression, path.first?.hasPrefix("@") != true {
      let operand = try operand(column.expression, QueryScope(scope.schema, fetch.layout))
      if case .collection = operand { return (select, .value("", nil)) }
      return (select, operand)
    }
    return (select, .value("", nil))
  }
}
