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

  /// Calls `body` with every key path that starts at the evaluated object. Those on a SUBQUERY's variable go on from
  /// its collection's.
  func forEachKeyPath(_ body: ([String]) -> Void) { forEachKeyPath(from: [:], body) }

  /// - Parameter starts: the key paths of the collections around, by variable.
  fileprivate func forEachKeyPath(from starts: [String: [String]], _ body: ([String]) -> Void) {
    switch self {
    case .constant, .block: break
    case .and(let parts), .or(let parts): parts.forEach { $0.forEachKeyPath(from: starts, body) }
    case .not(let part): part.forEachKeyPath(from: starts, body)
    case .comparison(let comparison):
      comparison.left.forEachKeyPath(from: starts, body)
      comparison.right.forEachKeyPath(from: starts, body)
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

  fileprivate func forEachKeyPath(from starts: [String: [String]], _ body: ([String]) -> Void) {
    if let path = wholePath(from: starts) { body(path) }
    func visit(_ nodes: [ExpressionNode]) { nodes.forEach { $0.forEachKeyPath(from: starts, body) } }
    switch self {
    case .keyPath, .constant, .evaluatedObject, .variable, .anyKey, .fetch: break
    case .nested(let base, _), .assignment(_, let base): visit([base])
    case .index(let base, .at(let position)): visit([base, position])
    case .index(let base, _): visit([base])
    case .function(_, let nodes), .aggregate(let nodes), .block(_, let nodes): visit(nodes)
    case .subquery(let collection, let variable, let predicate):
      visit([collection])
      var inner = starts
      inner[variable] = collection.wholePath(from: starts)
      predicate.forEachKeyPath(from: inner, body)
    case .conditional(let predicate, let a, let b):
      predicate.forEachKeyPath(from: starts, body)
      visit([a, b])
    case .setOperation(_, let a, let b): visit([a, b])
    }
  }

  /// The key path from the evaluated object that this expression goes; nil if it is none, or leads to no property.
  private func wholePath(from starts: [String: [String]]) -> [String]? {
    switch self {
    case .keyPath(let path): path
    case .variable(let name): starts[name]
    case .nested(let base, let path): base.wholePath(from: starts).map { $0 + path }
    case .subquery(let collection, _, _): collection.wholePath(from: starts)
    case .index(let base, _): base.wholePath(from: starts)
    case .function: keyPathCall?.wholePath(from: starts)
    default: nil
    }
  }
}
