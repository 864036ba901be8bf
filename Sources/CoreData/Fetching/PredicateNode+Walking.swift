/// Going through a predicate's tree.
extension PredicateNode {
  /// The same predicate with parts of its expressions replaced. Each expression is asked before its own parts; nil
  /// keeps it, and its parts are asked.
  func replacing(_ change: (ExpressionNode) throws -> ExpressionNode?) rethrows -> PredicateNode {
    try mapChildren({ try $0.replacing(change) }, conditions: { try $0.replacing(change) })
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
    // What it finds in its own objects is none of this one's.
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
