/// Going through a predicate's tree.
extension PredicateNode {
  /// The same predicate with every constant replaced.
  func mapConstants(_ change: (PredicateConstant) throws -> PredicateConstant) throws -> PredicateNode {
    switch self {
    case .constant, .block: return self
    case .and(let parts): return .and(try parts.map { try $0.mapConstants(change) })
    case .or(let parts): return .or(try parts.map { try $0.mapConstants(change) })
    case .not(let part): return .not(try part.mapConstants(change))
    case .comparison(var comparison):
      comparison.left = try comparison.left.mapConstants(change)
      comparison.right = try comparison.right.mapConstants(change)
      return .comparison(comparison)
    }
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
  func mapConstants(_ change: (PredicateConstant) throws -> PredicateConstant) throws -> ExpressionNode {
    func map(_ nodes: [ExpressionNode]) throws -> [ExpressionNode] { try nodes.map { try $0.mapConstants(change) } }
      switch self {
      case .constant(.collection(let members)):
        return .constant(try change(.collection(try members.map(change))))
      case .constant(let constant): return .constant(try change(constant))
      case .evaluatedObject, .variable, .keyPath, .anyKey: return self
      case .nested(let base, let path): return .nested(try base.mapConstants(change), path)
      case .function(let name, let arguments): return .function(name, try map(arguments))
      case .aggregate(let members): return .aggregate(try map(members))
      case .subquery(let collection, let variable, let predicate):
        return .subquery(
          try collection.mapConstants(change), variable: variable, try predicate.mapConstants(change))
      case .conditional(let predicate, let a, let b):
        return .conditional(
          try predicate.mapConstants(change), try a.mapConstants(change), try b.mapConstants(change))
      case .setOperation(let operation, let a, let b):
        return .setOperation(operation, try a.mapConstants(change), try b.mapConstants(change))
      case .index(let base, let index): return .index(try base.mapConstants(change), index)
      case .assignment(let name, let value): return .assignment(name, try value.mapConstants(change))
      case .block(let block, let arguments): return .block(block, try map(arguments))
      case .fetch: return self
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
