/// What a having predicate says, in the terms that stores know.
extension PredicateNode {
  /// With key paths in the place of variables that are named as columns: `$n > 1`, which `NSExpression(forVariable: "n")`
  /// spells, is about the column n.
  func namingColumns(_ columns: [DictionaryFetch.Column]) -> PredicateNode {
    replacing { node in
      guard case .variable(let name) = node, columns.contains(where: { $0.name == name }) else { return nil }
      return .keyPath([name])
    }.replacingSides { $0.asFunctionOfRows }
  }

  /// The same predicate with other expressions on the sides of its comparisons.
  func replacingSides(_ change: (ExpressionNode) throws -> ExpressionNode) rethrows -> PredicateNode {
    switch self {
    case .constant, .block: return self
    case .and(let parts): return .and(try parts.map { try $0.replacingSides(change) })
    case .or(let parts): return .or(try parts.map { try $0.replacingSides(change) })
    case .not(let part): return .not(try part.replacingSides(change))
    case .comparison(var comparison):
      comparison.left = try change(comparison.left)
      comparison.right = try change(comparison.right)
      return .comparison(comparison)
    }
  }
}

extension ExpressionNode {
  /// `@sum.pages`, which begins at no object, as `sum:(pages)`: an aggregate over all rows, or those of a group.
  var asFunctionOfRows: ExpressionNode {
    guard case .keyPath(let path) = self, let first = path.first, first.utf8.first == UInt8(ascii: "@") else {
      return self
    }
    let rest = Array(path.dropFirst())
    switch CollectionOperator(rawValue: String(first.dropFirst())) {
    case .count: return .function(PredicateFunction.count.rawValue, [rest.isEmpty ? .evaluatedObject : .keyPath(rest)])
    case .sum where !rest.isEmpty: return .function(PredicateFunction.sum.rawValue, [.keyPath(rest)])
    case .avg where !rest.isEmpty: return .function(PredicateFunction.average.rawValue, [.keyPath(rest)])
    case .min where !rest.isEmpty: return .function(PredicateFunction.min.rawValue, [.keyPath(rest)])
    case .max where !rest.isEmpty: return .function(PredicateFunction.max.rawValue, [.keyPath(rest)])
    case .sum, .avg, .min, .max, .distinctUnionOfObjects, .unionOfObjects, .distinctUnionOfArrays, .unionOfArrays,
      .distinctUnionOfSets, .unionOfSets, nil:
      return self
    }
  }
}
