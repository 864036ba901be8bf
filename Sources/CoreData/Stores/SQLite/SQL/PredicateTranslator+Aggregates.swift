/// Aggregates of a row's members, which are sub-selects, and aggregates of rows.
extension PredicateTranslator {
  /// Translates `books.@sum.pages`, where the path has the operator at `place`.
  func aggregate(_ collection: SQLCollection, at place: Int, _ scope: QueryScope) throws -> SQLOperand {
    let name = collection.rest[place]
    let before = Array(collection.rest[..<place])
    let after = Array(collection.rest[(place + 1)...])
    guard before.isEmpty || after.isEmpty else {
      throw scope.unsupported("An aggregate with a path before and behind it")
    }
    guard let aggregate = Aggregate(collectionOperator: name) else {
      throw scope.unsupported(
        before.isEmpty && after.isEmpty ? "\(name) of objects" : "The collection operator \(name)")
    }
    let inner = SQLCollection(
      scope: collection.scope, owner: collection.owner, relationship: collection.relationship,
      rest: before + after, filter: collection.filter)
    return try self.aggregate(aggregate, collection: inner, scope: scope)
  }

  /// Translates an aggregate of a row's members, or of the values at the end of a path from them.
  ///
  /// - Parameter countsNil: whether a count includes members whose path ends in nil, as `@count` in a key path does.
  func aggregate(
    _ aggregate: Aggregate, collection: SQLCollection, countsNil: Bool = true, scope: QueryScope
  ) throws -> SQLOperand {
    var kind: SlotKind?
    let select = try members(of: collection) { inner in
      if collection.rest.isEmpty {
        guard aggregate == .count else {
          throw scope.unsupported("\(aggregate.collectionOperator) of objects")
        }
        kind = .int64
        return .rowCount(inner.source.alias)
      }
      let element = try operand(.keyPath(collection.rest), inner)
      if case .collection = element {
        throw scope.unsupported("An aggregate over two to-many relationships")
      }
      kind = aggregate.kind(of: element.kind)
      let value = try expression(element, inner)
      return aggregate == .count && countsNil ? .word("COUNT(*)") : .aggregate(aggregate, value)
    }
    return .value(.selectOfMembers(select.ofOwner), kind)
  }

  /// Translates `count:(books)` and the other collection operators written as functions. This count leaves out nils.
  func aggregateFunction(
    _ function: PredicateFunction, argument: ExpressionNode, scope: QueryScope
  ) throws -> SQLOperand? {
    guard let aggregate = Aggregate(function), case .collection(let collection) = try operand(argument, scope)
    else {
      return nil
    }
    return try self.aggregate(aggregate, collection: collection, countsNil: false, scope: scope)
  }

  /// Translates an aggregate of many rows. Returns nil for other expressions, and where such aggregates are refused.
  func aggregateOfRows(_ node: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand? {
    if case .refused = scope.aggregates { return nil }
    guard let (aggregate, argument) = node.aggregateOfRows else { return nil }
    if case .other(let make) = scope.aggregates { return try make(node) }
    // The argument is about one row, so it can't contain another aggregate of rows.
    let operand = try scope.withAggregates(.refused) { try self.operand(argument, scope) }
    guard case .collection(let collection) = operand else {
      return .value(.aggregate(aggregate, try expression(operand, scope)), aggregate.kind(of: operand.kind))
    }
    /// An aggregate over all rows of an aggregate of each row's members.
    func all(_ outer: Aggregate, _ inner: Aggregate) throws -> SQLExpression {
      .aggregate(
        outer, try expression(self.aggregate(inner, collection: collection, countsNil: false, scope: scope), scope))
    }
    switch aggregate {
    case .count: return .value(try all(.sum, .count), .int64)
    case .sum, .min, .max: return .value(try all(aggregate, aggregate), nil)
    case .average:
      let sum = SQLExpression.arithmetic(.word("1.0"), .times, try all(.sum, .sum))
      return .value(.arithmetic(sum, .over, try all(.sum, .count)), .double)
    }
  }
}
