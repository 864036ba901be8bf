/// A batch delete, resolved: which rows of one store.
package enum BatchDelete {
  case found(FetchDescription)
  /// All of one entity hierarchy, whose root this is.
  case keys([Int64], root: EntityLayout)

  /// The entity that all of the rows are of.
  package var layout: EntityLayout {
    switch self {
    case .found(let fetch): fetch.layout
    case .keys(_, let root): root
    }
  }
}

/// A batch update, resolved: which rows, and what their attributes become.
package struct BatchUpdate {
  package let rows: FetchDescription
  /// Holds the constants; its other slots are null.
  package let values: RowSnapshot
  /// The slots that become what `values` holds, ascending.
  package let constants: [LayoutProperty]
  /// The slots that are computed from the row as it is, ascending.
  let expressions: [(property: LayoutProperty, node: ExpressionNode)]

  /// The attributes that change.
  package var names: [String] { constants.map(\.name) + expressions.map(\.property.name) }
}
