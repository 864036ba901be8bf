/// `names[2]` and `names[FIRST]` are calls of `objectFrom:withIndex:` to those who take expressions apart, and put them
/// together again from `function` and `arguments`.
extension ExpressionNode.Index {
  /// The second argument of the call. Words are constants, so that they are not taken for keys.
  var argument: ExpressionNode {
    switch self {
    case .first: .constant(.string("FIRST"))
    case .last: .constant(.string("LAST"))
    case .size: .constant(.string("SIZE"))
    case .at(let position): position
    }
  }

  init(argument: ExpressionNode) {
    switch argument {
    case .constant(.string("FIRST")): self = .first
    case .constant(.string("LAST")): self = .last
    case .constant(.string("SIZE")): self = .size
    default: self = .at(argument)
    }
  }
}
