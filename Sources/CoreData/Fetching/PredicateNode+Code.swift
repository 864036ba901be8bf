extension FetchDescription {
  /// Whether the fetch contains the program's own code: a block predicate, a block expression, a comparator. Such code
  /// needs objects, so no store can run it.
  var runsCode: Bool { sort.contains { $0.comparison != nil } || predicate?.hasBlock == true }
}

extension PredicateNode {
  /// Whether a part of the predicate is Swift code, which needs objects.
  var hasBlock: Bool {
    if case .block = self { return true }
    return !allChildren({ !$0.hasBlock }, conditions: { !$0.hasBlock })
  }
}

extension ExpressionNode {
  fileprivate var hasBlock: Bool {
    switch self {
    case .block: true
    // The predicate of a FETCH expression's request is checked when that is executed.
    case .fetch: false
    default: !allChildren({ !$0.hasBlock }, conditions: { !$0.hasBlock })
    }
  }
}
