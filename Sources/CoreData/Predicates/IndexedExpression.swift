/// What a fetch index can have among its columns besides properties.
enum IndexedExpression {
  /// `SELF` or `objectID`: the object, by its key.
  case object
  case entity

  /// Nil for an expression that no index can have.
  init?(_ node: ExpressionNode) {
    switch node {
    case .evaluatedObject, .keyPath(["self"]), .keyPath(["objectID"]), .nested(.evaluatedObject, ["objectID"]):
      self = .object
    case .keyPath(["entity"]), .nested(.evaluatedObject, ["entity"]): self = .entity
    default: return nil
    }
  }
}
