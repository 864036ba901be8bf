extension FetchDescription {
  /// Whether the program's own code decides about objects, or orders them: a block predicate, a block expression, a
  /// comparator. It wants objects, so that no store can run it.
  var runsCode: Bool { sort.contains { $0.comparison != nil } || predicate?.hasBlock == true }
}

extension PredicateNode {
  /// Whether a part of the predicate is Swift code, which only objects can be handed to.
  var hasBlock: Bool {
    if case .block = self { return true }
    return !allChildren({ !$0.hasBlock }, conditions: { !$0.hasBlock })
  }
}

extension ExpressionNode {
  fileprivate var hasBlock: Bool {
    switch self {
    case .block: true
    // The request's own predicate is looked at where it is executed.
    case .fetch: false
    default: !allChildren({ !$0.hasBlock }, conditions: { !$0.hasBlock })
    }
  }
}
