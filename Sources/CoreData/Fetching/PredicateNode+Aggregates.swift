/// Aggregates over all rows in the predicates of fetches, as in `id == max(id)` and `id == @max.id`.
extension PredicateNode {
  /// Whether an aggregate function may be one over all rows.
  var hasAggregateFunctions: Bool {
    !allChildren({ !$0.hasAggregateFunctions }, conditions: { !$0.hasAggregateFunctions })
  }

  /// The predicate with each `max(path)` and `@max.path` replaced by a fetch of that aggregate; nil if there is none.
  /// The path leads to one value of each row. The aggregate is of all rows of the entity, whatever the rest of the
  /// predicate says.
  func resolvingAggregates(_ fetch: FetchDescription, pendingChanges: Bool) -> PredicateNode? {
    var isChanged = false
    let resolved = replacing { node in
      guard let (aggregate, operand) = node.markedAggregate, aggregate != .count,
        case .keyPath(let path) = operand, fetch.layout.hasOneValue(at: path)
      else { return nil }
      isChanged = true
      var rows = FetchDescription(layout: fetch.layout)
      rows.includesSubentities = fetch.includesSubentities
      rows.output = .dictionaries(DictionaryFetch(columns: [.init(name: "value", expression: node, type: nil)]))
      let sub = SubFetch(rows, isCount: false, includesPendingChanges: pendingChanges, of: nil)
      return .index(.fetch(.constant(.object(sub)), .constant(.null), countOnly: false), .first)
    }
    return isChanged ? resolved : nil
  }
}

extension EntityLayout {
  /// Writes `pages.@sum` as `@sum.pages`: behind one value of each row a collection operator is about all rows, or
  /// those of a group. For columns of dictionaries and having predicates.
  func operatorFirst(_ node: ExpressionNode) -> ExpressionNode? {
    guard case .keyPath(let path) = node, let name = path.last, Aggregate(collectionOperator: name) != nil,
      hasOneValue(at: Array(path.dropLast()))
    else { return nil }
    return .keyPath([name] + path.dropLast())
  }
}

extension ExpressionNode {
  /// `aggregateOfRows`, found without reading the paths that don't begin with an operator.
  fileprivate var markedAggregate: (aggregate: Aggregate, of: ExpressionNode)? {
    if case .keyPath(let path) = self, path[0].utf8.first != UInt8(ascii: "@") { return nil }
    return aggregateOfRows
  }

  fileprivate var hasAggregateFunctions: Bool {
    if markedAggregate != nil { return true }
    return !allChildren({ !$0.hasAggregateFunctions }, conditions: { !$0.hasAggregateFunctions })
  }
}

extension EntityLayout {
  /// Whether a path goes through to-one relationships to a stored attribute.
  fileprivate func hasOneValue(at path: [String]) -> Bool {
    var layout = self
    for (index, name) in path.enumerated() {
      guard let property = layout.property(named: name), !property.isTransient else { return false }
      switch property.kind.role {
      case .toOne: layout = layout.model.layouts[property.destination]
      // What a transformable's value holds is added up for each row.
      case .attribute: return index == path.count - 1 && property.kind != .transformable
      case .toMany, .fetched, .composite: return false
      }
    }
    return false
  }
}
