/// The children of a node: conditions and values. Only this file knows the children of each case. A walk over a tree
/// says what to do with one node, and uses these three functions to go on. They are never copied into a walk: a dozen
/// walks were a sixth of the module's code.
extension PredicateNode {
  /// The same node with other children.
  @inline(never)
  func mapChildren(
    _ value: (ExpressionNode) throws -> ExpressionNode, conditions: (PredicateNode) throws -> PredicateNode
  ) rethrows -> PredicateNode {
    switch self {
    case .constant, .block: return self
    case .and(let members): return .and(try members.map(conditions))
    case .or(let members): return .or(try members.map(conditions))
    case .not(let member): return .not(try conditions(member))
    case .comparison(var comparison):
      comparison.left = try value(comparison.left)
      comparison.right = try value(comparison.right)
      return .comparison(comparison)
    }
  }

  /// Whether all children meet a condition. It stops at the first that doesn't.
  @inline(never)
  func allChildren(_ value: (ExpressionNode) -> Bool, conditions: (PredicateNode) -> Bool) -> Bool {
    switch self {
    case .constant, .block: true
    case .and(let members), .or(let members): members.allSatisfy(conditions)
    case .not(let member): conditions(member)
    case .comparison(let comparison): value(comparison.left) && value(comparison.right)
    }
  }
}

extension ExpressionNode {
  /// The same node with other children, in the form in which nodes are made: a key path of a key path is one longer
  /// path, and an aggregate of constants is a constant.
  @inline(never)
  func mapChildren(
    _ value: (ExpressionNode) throws -> ExpressionNode, conditions: (PredicateNode) throws -> PredicateNode
  ) rethrows -> ExpressionNode {
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: return self
    case .nested(let base, let path): return try value(base).appending(path)
    case .function(let selector, let arguments): return .function(selector, try arguments.map(value))
    case .aggregate(let members): return ExpressionNode(aggregate: try members.map(value))
    case .subquery(let collection, let variable, let predicate):
      return .subquery(try value(collection), variable: variable, try conditions(predicate))
    case .conditional(let predicate, let yes, let no):
      return .conditional(try conditions(predicate), try value(yes), try value(no))
    case .setOperation(let operation, let left, let right):
      return .setOperation(operation, try value(left), try value(right))
    case .index(let base, .at(let position)): return .index(try value(base), .at(try value(position)))
    case .index(let base, let index): return .index(try value(base), index)
    case .assignment(let name, let assigned): return .assignment(name, try value(assigned))
    case .block(let block, let arguments): return .block(block, try arguments.map(value))
    case .fetch(let request, let context, let countOnly):
      return .fetch(try value(request), try value(context), countOnly: countOnly)
    }
  }

  @inline(never)
  func allChildren(_ value: (ExpressionNode) -> Bool, conditions: (PredicateNode) -> Bool) -> Bool {
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: true
    case .function(_, let members), .aggregate(let members), .block(_, let members): members.allSatisfy(value)
    case .subquery(let collection, _, let predicate): value(collection) && conditions(predicate)
    case .conditional(let predicate, let yes, let no): conditions(predicate) && value(yes) && value(no)
    case .index(let base, .at(let position)): value(base) && value(position)
    case .nested(let base, _), .index(let base, _), .assignment(_, let base): value(base)
    case .setOperation(_, let left, let right), .fetch(let left, let right, _): value(left) && value(right)
    }
  }
}

/// A node of either kind.
protocol PredicateTreeNode {
  func allChildren(_ value: (ExpressionNode) -> Bool, conditions: (PredicateNode) -> Bool) -> Bool
}

extension PredicateNode: PredicateTreeNode {}
extension ExpressionNode: PredicateTreeNode {}

extension PredicateTreeNode {
  func forEachChild(_ value: (ExpressionNode) -> Void, conditions: (PredicateNode) -> Void) {
    _ = allChildren(
      {
        value($0)
        return true
      },
      conditions: {
        conditions($0)
        return true
      })
  }
}
