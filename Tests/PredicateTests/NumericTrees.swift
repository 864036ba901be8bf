@testable import CoreData

/// Trees with numbers in the place of Booleans, which the normal form writes as numbers.
extension PredicateNode {
  var numeric: PredicateNode {
    switch self {
    case .constant, .block: self
    case .and(let members): .and(members.map(\.numeric))
    case .or(let members): .or(members.map(\.numeric))
    case .not(let member): .not(member.numeric)
    case .comparison(var comparison):
      {
        comparison.left = comparison.left.numeric
        comparison.right = comparison.right.numeric
        return .comparison(comparison)
      }()
    }
  }
}

extension PredicateConstant {
  var numeric: PredicateConstant {
    switch self {
    case .bool(let value): .int(value ? 1 : 0)
    case .collection(let members): .collection(members.map(\.numeric))
    default: self
    }
  }
}

extension ExpressionNode {
  var numeric: ExpressionNode {
    switch self {
    case .constant(let value): .constant(value.numeric)
    case .evaluatedObject, .variable, .keyPath, .anyKey: self
    case .nested(let base, let path): .nested(base.numeric, path)
    case .function(let name, let arguments): .function(name, arguments.map(\.numeric))
    case .aggregate(let members): .aggregate(members.map(\.numeric))
    case .subquery(let base, let variable, let predicate):
      .subquery(base.numeric, variable: variable, predicate.numeric)
    case .conditional(let predicate, let yes, let no):
      .conditional(predicate.numeric, yes.numeric, no.numeric)
    case .setOperation(let operation, let left, let right):
      .setOperation(operation, left.numeric, right.numeric)
    case .index(let base, .at(let position)): .index(base.numeric, .at(position.numeric))
    case .index(let base, let index): .index(base.numeric, index)
    case .assignment(let name, let value): .assignment(name, value.numeric)
    case .block(let block, let arguments): .block(block, arguments.map(\.numeric))
    case .fetch(let request, let context, let countOnly):
      .fetch(request.numeric, context.numeric, countOnly: countOnly)
    }
  }
}
