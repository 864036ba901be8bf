/// Walking through a predicate's tree.
extension PredicateNode {
  /// The predicate with parts of its expressions replaced. `replace` is called with each expression before its parts;
  /// if it returns nil, the expression is kept and its parts are visited.
  func replacing(_ change: (ExpressionNode) throws -> ExpressionNode?) rethrows -> PredicateNode {
    try mapChildren({ try $0.replacing(change) }, conditions: { try $0.replacing(change) })
  }

  /// The free variables of the predicate, without the variables that its SUBQUERYs bind.
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

  /// Calls `body` with every key path that starts at the evaluated object. Those on a SUBQUERY's variable continue its
  /// collection's.
  func forEachKeyPath(_ body: ([String]) -> Void) { forEachKeyPath(from: [:], body) }

  /// - Parameter starts: the key paths of the enclosing collections, by variable.
  fileprivate func forEachKeyPath(from starts: [String: [String]], _ body: ([String]) -> Void) {
    forEachChild(
      { $0.forEachKeyPath(from: starts, body) }, conditions: { $0.forEachKeyPath(from: starts, body) })
  }
}

extension ExpressionNode {
  func replacing(_ change: (ExpressionNode) throws -> ExpressionNode?) rethrows -> ExpressionNode {
    if let changed = try change(self) { return changed }
    return try mapChildren({ try $0.replacing(change) }, conditions: { try $0.replacing(change) })
  }

  fileprivate func forEachKeyPath(from starts: [String: [String]], _ body: ([String]) -> Void) {
    if let path = wholePath(from: starts) { body(path) }
    switch self {
    // Key paths in its own predicate start at its own objects.
    case .fetch: break
    case .subquery(let collection, let variable, let predicate):
      collection.forEachKeyPath(from: starts, body)
      var inner = starts
      inner[variable] = collection.wholePath(from: starts)
      predicate.forEachKeyPath(from: inner, body)
    default:
      forEachChild(
        { $0.forEachKeyPath(from: starts, body) }, conditions: { $0.forEachKeyPath(from: starts, body) })
    }
  }

  /// The key path of this expression from the evaluated object; nil if it isn't one, or does not lead to a property.
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
