/// How deep trees may be. Reading, printing, comparing, compiling and evaluating recurse, so that a tree
/// without bound would end the program by its stack; whatever makes a tree refuses one that is too deep.
extension PredicateNode {
  static let maximalDepth = 1000

  /// Whether no path from here to a leaf is longer than `levels`.
  func fits(_ levels: Int = maximalDepth) -> Bool {
    levels > 0 && allChildren({ $0.fits(levels - 1) }, conditions: { $0.fits(levels - 1) })
  }
}

extension ExpressionNode {
  func fits(_ levels: Int = PredicateNode.maximalDepth) -> Bool {
    levels > 0 && allChildren({ $0.fits(levels - 1) }, conditions: { $0.fits(levels - 1) })
  }
}
