/// Key paths into composite attributes, in the form that stores need: an element is one key. See
/// `EntityLayout.joiningElements`.
extension PredicateNode {
  func joiningElements(_ layout: EntityLayout) -> PredicateNode {
    layout.model.hasComposites ? joiningElements(layout, [:]) : self
  }

  /// - Parameter variables: the entities of the variables of the enclosing SUBQUERYs.
  fileprivate func joiningElements(_ layout: EntityLayout, _ variables: [String: EntityLayout])
    -> PredicateNode
  {
    let joined = mapChildren(
      { $0.joiningElements(layout, variables) }, conditions: { $0.joiningElements(layout, variables) })
    guard case .comparison(let comparison) = joined else { return joined }
    return comparison.comparingElementsWithNil(layout) ?? joined
  }
}

extension Comparison {
  /// `address == nil` becomes that comparison for each element; nil for any other comparison.
  fileprivate func comparingElementsWithNil(_ layout: EntityLayout) -> PredicateNode? {
    guard case .keyPath(let path) = left, let name = path.last, case .constant(.nothing) = right,
      modifier == .direct,
      comparator == .equalTo || comparator == .notEqualTo,
      let property = layout.destination(of: Array(path.dropLast()))?.property(named: name),
      property.kind == .composite
    else { return nil }
    let parts = property.leaves.map { leaf in
      PredicateNode.comparison(Comparison(.keyPath(path.dropLast() + [leaf.name]), comparator, right))
    }
    return comparator == .equalTo ? .and(parts) : .or(parts)
  }
}

extension ExpressionNode {
  func joiningElements(_ layout: EntityLayout) -> ExpressionNode {
    layout.model.hasComposites ? joiningElements(layout, [:]) : self
  }

  fileprivate func joiningElements(_ layout: EntityLayout, _ variables: [String: EntityLayout])
    -> ExpressionNode
  {
    switch self {
    case .keyPath(let path): return .keyPath(layout.joiningElements(path))
    case .nested(.variable(let name), let path):
      return .nested(.variable(name), variables[name]?.joiningElements(path) ?? path)
    case .subquery(let collection, let variable, let predicate):
      let collection = collection.joiningElements(layout, variables)
      var inner = variables
      switch collection {
      case .keyPath(let path): inner[variable] = layout.destination(of: path)
      case .nested(.variable(let name), let path): inner[variable] = variables[name]?.destination(of: path)
      default: inner[variable] = nil
      }
      return .subquery(collection, variable: variable, predicate.joiningElements(layout, inner))
    default:
      return mapChildren(
        { $0.joiningElements(layout, variables) }, conditions: { $0.joiningElements(layout, variables) })
    }
  }
}
