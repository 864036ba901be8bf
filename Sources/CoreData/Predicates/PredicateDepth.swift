/// How deep trees may be. Reading, printing, comparing, compiling and evaluating recurse, so that a tree
/// without bound would end the program by its stack; whatever makes a tree refuses one that is too deep.
extension PredicateNode {
  static let maximalDepth = 1000

  /// Whether no path from here to a leaf is longer than `levels`.
  func fits(_ levels: Int = maximalDepth) -> Bool {
    guard levels > 0 else { return false }
    switch self {
    case .constant, .block: return true
    case .and(let members), .or(let members): return members.allSatisfy { $0.fits(levels - 1) }
    case .not(let member): return member.fits(levels - 1)
    case .comparison(let comparison):
      return comparison.left.fits(levels - 1) && comparison.right.fits(levels - 1)
    }
  }
}

extension ExpressionNode {
  func fits(_ levels: Int = PredicateNode.maximalDepth) -> Bool {
    guard levels > 0 else { return false }
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPath, .anyKey: return true
    case .nested(let base, _), .assignment(_, let base): return base.fits(levels - 1)
    case .function(_, let members), .aggregate(let members), .block(_, let members):
      return members.allSatisfy { $0.fits(levels - 1) }
    case .subquery(let collection, _, let predicate):
      return collection.fits(levels - 1) && predicate.fits(levels - 1)
    case .conditional(let predicate, let yes, let no):
      return predicate.fits(levels - 1) && yes.fits(levels - 1) && no.fits(levels - 1)
    case .index(let base, let index):
      if case .at(let position) = index, !position.fits(levels - 1) { return false }
      return base.fits(levels - 1)
    case .setOperation(_, let left, let right), .fetch(let left, let right, _):
      return left.fits(levels - 1) && right.fits(levels - 1)
    }
  }
}

extension Failure {
  static let deepPredicate = Failure.unsupportedFeature(
    "A predicate that nests deeper than \(PredicateNode.maximalDepth) levels")
}
