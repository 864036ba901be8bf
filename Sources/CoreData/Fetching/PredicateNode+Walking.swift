/// Going through a predicate's tree.
extension PredicateNode {
  /// The same predicate with parts of its expressions replaced. Each expression is asked before its own parts; nil
  /// keeps it, and its parts are asked.
  func replacing(_ change: (ExpressionNode) throws -> ExpressionNode?) rethrows -> PredicateNode {
    switch self {
    case .constant, .block: return self
    case .and(let parts): return .and(try parts.map { try $0.replacing(change) })
    case .or(let parts): return .or(try parts.map { try $0.replacing(change) })
    case .not(let part): return .not(try part.replacing(change))
    case .comparison(var comparison):
      comparison.left = try comparison.left.replacing(change)
      comparison.right = try comparison.right.replacing(change)
      return .comparison(comparison)
    }
  }

  /// The variables that nothing in the predicate gives a value to: not those of its SUBQUERYs.
  var freeVariables: Set<String> {
    var found: Set<String> = []
    func look(_ node: ExpressionNode, _ hidden: Set<String>) -> ExpressionNode? {
      switch node {
      case .variable(let name):
        if !hidden.contains(name) { found.insert(name) }
        return nil
      case .subquery(let collection, let variable, let predicate):
        _ = collection.replacing { look($0, hidden) }
        _ = predicate.replacing { look($0, hidden.union([variable])) }
        return node
      default: return nil
      }
    }
    _ = replacing { look($0, []) }
    return found
  }

  /// Calls `body` with every key path that starts at the evaluated object.
  func forEachKeyPath(_ body: ([String]) -> Void) {
    switch self {
    case .constant, .block: break
    case .and(let parts), .or(let parts): parts.forEach { $0.forEachKeyPath(body) }
    case .not(let part): part.forEachKeyPath(body)
    case .comparison(let comparison):
      comparison.left.forEachKeyPath(body)
      comparison.right.forEachKeyPath(body)
    }
  }
}

extension ExpressionNode {
  func replacing(_ change: (ExpressionNode) throws -> ExpressionNode?) rethrows -> ExpressionNode {
    if let changed = try change(self) { return changed }
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: return self
    case .nested(let base, let path): return .nested(try base.replacing(change), path)
    case .function(let name, let arguments): return .function(name, try arguments.map { try $0.replacing(change) })
    case .aggregate(let members): return .aggregate(try members.map { try $0.replacing(change) })
    case .subquery(let collection, let variable, let predicate):
      return .subquery(try collection.replacing(change), variable: variable, try predicate.replacing(change))
    case .conditional(let predicate, let a, let b):
      return .conditional(try predicate.replacing(change), try a.replacing(change), try b.replacing(change))
    case .setOperation(let operation, let a, let b):
      return .setOperation(operation, try a.replacing(change), try b.replacing(change))
    case .index(let base, .at(let position)):
      return .index(try base.replacing(change), .at(try position.replacing(change)))
    case .index(let base, let index): return .index(try base.replacing(change), index)
    case .assignment(let name, let value): return .assignment(name, try value.replacing(change))
    case .block(let block, let arguments): return .block(block, try arguments.map { try $0.replacing(change) })
    case .fetch(let request, let context, let countOnly):
      return .fetch(try request.replacing(change), try context.replacing(change), countOnly: countOnly)
    }
  }

  func forEachKeyPath(_ body: ([String]) -> Void) {
    switch self {
    case .keyPath(let path): body(path)
    case .constant, .evaluatedObject, .variable, .anyKey, .fetch: break
    case .nested(let base, _), .index(let base, _), .assignment(_, let base): base.forEachKeyPath(body)
    case .function(_, let nodes), .aggregate(let nodes), .block(_, let nodes):
      nodes.forEach { $0.forEachKeyPath(body) }
    case .subquery(let collection, let variable, let predicate):
      // Paths on the variable go on from the collection's.
      if case .keyPath(let start) = collection {
        body(start)
        predicate.forEachNestedPath(on: variable) { body(start + $0) }
      }
      predicate.forEachKeyPath(body)
    case .conditional(let predicate, let a, let b):
      predicate.forEachKeyPath(body)
      a.forEachKeyPath(body)
      b.forEachKeyPath(body)
    case .setOperation(_, let a, let b):
      a.forEachKeyPath(body)
      b.forEachKeyPath(body)
    }
  }
}

extension PredicateNode {
  fileprivate func forEachNestedPath(on variable: String, _ body: ([String]) -> Void) {
    switch self {
    case .constant, .block: break
    case .and(let parts), .or(let parts): parts.forEach { $0.forEachNestedPath(on: variable, body) }
    case .not(let part): part.forEachNestedPath(on: variable, body)
    case .comparison(let comparison):
      for side in [comparison.left, comparison.right] {
        if case .nested(.variable(variable), let path) = side { body(path) }
      }
    }
  }
}
