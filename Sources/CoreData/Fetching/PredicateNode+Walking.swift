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
  func forEachKeyPath(_ body: ([String]) -> Void) {
    forEachRootedPath { if $0.cast == nil { body($0.keys) } }
  }

  /// Calls `body` with every key path that starts at the evaluated object, or behind a cast.
  func forEachRootedPath(_ body: (RootedPath) -> Void) { forEachPath(from: [:], body) }

  /// - Parameter starts: the key paths of the enclosing collections, by variable.
  fileprivate func forEachPath(from starts: [String: RootedPath], _ body: (RootedPath) -> Void) {
    forEachChild({ $0.forEachPath(from: starts, body) }, conditions: { $0.forEachPath(from: starts, body) })
  }
}

/// A key path of a predicate and where it starts.
struct RootedPath {
  /// The entity of the cast that it continues; nil if it starts at the evaluated object.
  var cast: NSEntityDescription?
  var keys: [String]
}

extension ExpressionNode {
  func replacing(_ change: (ExpressionNode) throws -> ExpressionNode?) rethrows -> ExpressionNode {
    if let changed = try change(self) { return changed }
    return try mapChildren({ try $0.replacing(change) }, conditions: { try $0.replacing(change) })
  }

  fileprivate func forEachPath(from starts: [String: RootedPath], _ body: (RootedPath) -> Void) {
    if let path = wholePath(from: starts) { body(path) }
    switch self {
    // Key paths in its own predicate start at its own objects.
    case .fetch: break
    case .subquery(let collection, let variable, let predicate):
      collection.forEachPath(from: starts, body)
      var inner = starts
      inner[variable] = collection.wholePath(from: starts)
      predicate.forEachPath(from: inner, body)
    default:
      forEachChild({ $0.forEachPath(from: starts, body) }, conditions: { $0.forEachPath(from: starts, body) })
    }
  }

  /// The key path of this expression from the evaluated object or a cast; nil if it isn't one, or does not lead to a
  /// property.
  private func wholePath(from starts: [String: RootedPath]) -> RootedPath? {
    switch self {
    case .keyPath(let keys): RootedPath(keys: keys)
    case .variable(let name): starts[name]
    case .nested(let base, let keys):
      if let cast = base.cast {
        RootedPath(cast: cast.entity, keys: keys)
      } else if let start = base.wholePath(from: starts) {
        RootedPath(cast: start.cast, keys: start.keys + keys)
      } else {
        nil
      }
    case .subquery(let collection, _, _): collection.wholePath(from: starts)
    case .index(let base, _): base.wholePath(from: starts)
    case .function: keyPathCall?.wholePath(from: starts)
    default: nil
    }
  }
}
