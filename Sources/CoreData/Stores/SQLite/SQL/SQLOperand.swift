/// What an expression is in SQL.
enum SQLOperand {
  /// An attribute's column, or a value computed from some.
  case value(SQLExpression, SlotKind?)
  /// A row, by its key: a to-one relationship's column, a table's Z_PK. The layout is the entity as declared.
  case reference(SQLExpression, EntityLayout)
  /// The entity of a row: its Z_ENT.
  case entity(SQLExpression)
  case constant(PredicateConstant)
  /// The members of a to-many relationship, or what a path leads to from there.
  case collection(SQLCollection)

  var isConstant: Bool { if case .constant = self { true } else { false } }

  /// What kind of values it has, where that is known.
  var kind: SlotKind? { if case .value(_, let kind) = self { kind } else { nil } }
}

/// A to-many relationship met on a key path.
struct SQLCollection {
  let scope: QueryScope
  let owner: QueryScope.Source
  let relationship: LayoutProperty
  /// What of the path is left behind the relationship.
  let rest: [String]
  /// Only members for which this holds: of a SUBQUERY.
  var filter: (variable: String, predicate: PredicateNode)?
}
