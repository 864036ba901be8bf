import Foundation

extension PredicateNode {
  /// The tree with `values` in the place of variables. A SUBQUERY's own variable hides an outer one.
  func substituting(_ values: [String: ExpressionNode]) -> PredicateNode {
    if values.isEmpty { return self }
    switch self {
    case .constant, .block: return self
    case .and(let members): return .and(members.map { $0.substituting(values) })
    case .or(let members): return .or(members.map { $0.substituting(values) })
    case .not(let member): return .not(member.substituting(values))
    case .comparison(var comparison):
      comparison.left = comparison.left.substituting(values)
      comparison.right = comparison.right.substituting(values)
      return .comparison(comparison)
    }
  }
}

extension ExpressionNode {
  /// What a value for a variable stands for: an expression, or a constant.
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
    case .constant, .evaluatedObject, .keyPath, .anyKey: return self
    case .variable(let name): return values[name] ?? self
    case .nested(let base, let path): return base.substituting(values).appending(path)
    case .function(let selector, let arguments):
      return .function(selector, arguments.map { $0.substituting(values) })
    case .aggregate(let members): return ExpressionNode(aggregate: members.map { $0.substituting(values) })
    case .subquery(let collection, let variable, let predicate):
      var inner = values
      inner[variable] = nil
      return .subquery(collection.substituting(values), variable: variable, predicate.substituting(inner))
    case .conditional(let predicate, let yes, let no):
      return .conditional(predicate.substituting(values), yes.substituting(values), no.substituting(values))
    case .setOperation(let operation, let left, let right):
      return .setOperation(operation, left.substituting(values), right.substituting(values))
    case .index(let base, .at(let position)):
      return .index(base.substituting(values), .at(position.substituting(values)))
    case .index(let base, let index): return .index(base.substituting(values), index)
    case .assignment(let name, let value): return .assignment(name, value.substituting(values))
    case .block(let block, let arguments): return .block(block, arguments.map { $0.substituting(values) })
    case .fetch(let request, let context, let countOnly):
      return .fetch(request.substituting(values), context.substituting(values), countOnly: countOnly)
    }
  }
}
