extension FetchDescription {
  /// Whether the program's own code decides about objects, or orders them: a block predicate, a block expression, a
  /// comparator. It wants objects, so that no store can run it.
  var runsCode: Bool { sort.contains { $0.comparison != nil } || predicate?.hasBlock == true }
}

extension PredicateNode {
  /// Whether a part of the predicate is Swift code, which only objects can be handed to.
  var hasBlock: Bool {
    switch self {
    case .constant: false
    case .block: true
    case .and(let parts), .or(let parts): parts.contains { $0.hasBlock }
    case .not(let part): part.hasBlock
    case .comparison(let comparison): comparison.left.hasBlock || comparison.right.hasBlock
    }
  }
}

extension ExpressionNode {
  fileprivate var hasBlock: Bool {
    switch self {
    case .block: true
    case .nested(let base, _), .index(let base, _), .assignment(_, let base): base.hasBlock
    case .function(_, let nodes), .aggregate(let nodes): nodes.contains { $0.hasBlock }
    case .subquery(let collection, _, let predicate): collection.hasBlock || predicate.hasBlock
    case .conditional(let predicate, let a, let b): predicate.hasBlock || a.hasBlock || b.hasBlock
    case .setOperation(_, let a, let b): a.hasBlock || b.hasBlock
    case .constant, .evaluatedObject, .variable, .keyPath, .anyKey, .fetch: false
    }
  }
}
