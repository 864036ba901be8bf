import Foundation

extension PredicateNode {
  /// The tree with variables replaced by `values`. A SUBQUERY's own variable hides an outer one.
  func substituting(_ values: [String: ExpressionNode]) -> PredicateNode {
    if values.isEmpty { return self }
    return mapChildren({ $0.substituting(values) }, conditions: { $0.substituting(values) })
  }
}

extension ExpressionNode {
  /// The expression or constant for a variable's value.
  init(value: Any) {
    if type(of: value) is AnyClass, let expression = value as? FoundationExpression,
      let node = try? expressionNode(of: expression)
    {
      self = node
    } else {
      self = .constant(PredicateConstant(any: value))
    }
  }

  func substituting(_ values: [String: ExpressionNode]) -> ExpressionNode {
    switch self {
    case .variable(let name): return values[name] ?? self
    case .subquery(let collection, let variable, let predicate):
      var inner = values
      inner[variable] = nil
      return .subquery(collection.substituting(values), variable: variable, predicate.substituting(inner))
    default: return mapChildren({ $0.substituting(values) }, conditions: { $0.substituting(values) })
    }
  }
}
