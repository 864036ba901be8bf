/// FETCH expressions become sub-selects. They never refer to the outer statement, so they may use the same aliases.
extension PredicateTranslator {
  func subFetch(_ request: ExpressionNode, _ scope: QueryScope) throws -> SubFetch {
    guard case .constant(.object(let object)) = request, let sub = object as? SubFetch else {
      throw scope.unsupported("A FETCH of \(PredicatePrinter.print(request)) in this place")
    }
    return sub
  }

  /// Translates `left IN FETCH(…)`. Null is in no collection.
  func membership(
    of left: SQLOperand, in request: ExpressionNode, _ comparison: Comparison, _ scope: QueryScope, negated: Bool
  ) throws -> SQLExpression {
    let sub = try subFetch(request, scope)
    guard comparison.options.isEmpty else {
      throw scope.unsupported("IN with options before \(PredicatePrinter.print(comparison.right))")
    }
    if case .collection(let collection) = left {
      return try exists(collection, negated: negated) { inner in
        let member = collection.rest.isEmpty ? ExpressionNode.evaluatedObject : .keyPath(collection.rest)
        return try membership(
          of: operand(member, inner), in: request, comparison, inner, negated: false)
      }
    }
    let (select, column) = try subselect(sub, scope)
    let value: SQLExpression
    switch (left, column) {
    case (.constant(let constant), _):
      guard !constant.isNull, let bound = try binding(constant, for: column, scope) else { return .truth(negated) }
      value = .bound(bound)
    case (.reference(_, let layout), .reference(_, let other)) where layout.rootIndex != other.rootIndex:
      return .truth(negated)
    default: value = try expression(left, scope)
    }
    var list = select
    if sub.column != nil {
      list = SelectStatement([.word("v")], from: .rows(of: select))
      list.conditions = [SQLExpression.word("v").isNull(false)]
    }
    return value.isIn(.select(list), negated: negated)
  }

  /// The first result of the fetch.
  func first(of request: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand {
    let sub = try subFetch(request, scope)
    if sub.isCount { return try count(of: request, scope) }
    var (select, column) = try subselect(sub, scope)
    select.limit = 1
    switch column {
    case .reference(_, let layout): return .reference(.select(select), layout)
    case .value(_, let kind): return .value(.select(select), kind)
    default: return .value(.select(select), nil)
    }
  }

  /// The number of results of the fetch.
  func count(of request: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand {
    let sub = try subFetch(request, scope)
    let query = try RowQuery(
      scope.schema, sub.fetch.layout, includesSubentities: sub.fetch.includesSubentities)
    let planner = FetchPlanner(schema: scope.schema, translator: self)
    if sub.fetch.limit == 0 { return .value(.select(try planner.select(sub.fetch, output: .count, query)), .int64) }
    let limited = try planner.select(sub.fetch, query, columns: [.number(1)])
    return .value(.select(SelectStatement([.word("COUNT(*)")], from: .rows(of: limited))), .int64)
  }

  /// The select of a fetch with its only column, named v unless it is the key, and the operand for that column.
  private func subselect(_ sub: SubFetch, _ scope: QueryScope) throws -> (SelectStatement, SQLOperand) {
    let fetch = sub.fetch
    let query = try RowQuery(scope.schema, fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: scope.schema, translator: self)
    guard case .dictionaries(let dictionaries) = fetch.output, let column = sub.column else {
      let select = try planner.select(fetch, query, columns: [.column("t0", "Z_PK")])
      return (select, .reference(.null, fetch.layout))
    }
    var select = try DictionaryQuery(planner, fetch: fetch, request: dictionaries, query: query).select
    select.columns = [select.columns[0]]
    select.columnName = "v"
    // The other side of the comparison needs the column's type.
    if let type = column.type, type != .undefinedAttributeType { return (select, .value(.null, SlotKind(type))) }
    if case .keyPath = column.expression, column.expression.aggregateOfRows == nil {
      let operand = try operand(column.expression, QueryScope(scope.schema, fetch.layout))
      if case .collection = operand { return (select, .value(.null, nil)) }
      return (select, operand)
    }
    // Of the aggregates only those that stand for themselves in a predicate have their operand's type.
    if let (aggregate, operand) = sub.aggregateOfRows {
      let kind = try self.operand(operand, QueryScope(scope.schema, fetch.layout)).kind
      return (select, .value(.null, aggregate.kind(of: kind)))
    }
    return (select, .value(.null, nil))
  }
}
