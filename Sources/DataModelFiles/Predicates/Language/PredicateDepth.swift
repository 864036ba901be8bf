/// The greatest depth of trees. Reading, printing, comparing, compiling and evaluating are recursive, so a deeper tree
/// could overflow the stack. Everything that makes a tree refuses one that is too deep.
extension PredicateNode {
  static let maximalDepth = 1000

  /// Whether no path from this node to a leaf has more than `levels` nodes.
  func fits(_ levels: Int = maximalDepth) -> Bool {
    levels > 0 && allChildren({ $0.fits(levels - 1) }, conditions: { $0.fits(levels - 1) })
  }
}

extension ExpressionNode {
  func fits(_ levels: Int = PredicateNode.maximalDepth) -> Bool {
    levels > 0 && allChildren({ $0.fits(levels - 1) }, conditions: { $0.fits(levels - 1) })
  }
}
