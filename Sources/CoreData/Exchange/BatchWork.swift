/// A resolved batch delete: which rows of one store.
package enum BatchDelete {
  case found(FetchDescription)
  /// The rows are all of one entity hierarchy; this is its root.
  case keys([Int64], root: EntityLayout)

  /// The entity of all of the rows.
  package var layout: EntityLayout {
    switch self {
    case .found(let fetch): fetch.layout
    case .keys(_, let root): root
    }
  }
}

/// A resolved batch update: which rows, and the new values of their attributes.
package struct BatchUpdate {
  package let rows: FetchDescription
  /// The constants to set; all other slots are null.
  package let values: RowSnapshot
  /// The slots that take their value from `values`, ascending.
  package let constants: [LayoutProperty]
  /// The slots whose value is computed from the present row, ascending.
  let expressions: [(property: LayoutProperty, node: ExpressionNode)]

  /// The attributes that change.
  package var names: [String] { constants.map(\.name) + expressions.map(\.property.name) }

  /// What a store computes for each row, as text for an error.
  package var computations: String {
    let new = expressions.map { "\($0.property.name) = \(PredicatePrinter.print($0.node))" }
    let condition = rows.computations
    return (new + (condition.isEmpty ? [] : [condition])).joined(separator: ", ")
  }
}
