/// The translation of an expression.
enum SQLOperand {
  /// An attribute's column, or a computed value.
  case value(SQLExpression, SlotKind?)
  /// A row, by its key: a to-one relationship's column or a table's Z_PK. The layout is the declared entity.
  case reference(SQLExpression, EntityLayout)
  /// The entity of a row: its Z_ENT.
  case entity(SQLExpression)
  case constant(PredicateConstant)
  /// The members of a to-many relationship, or the values at the end of a path from them.
  case collection(SQLCollection)

  var isConstant: Bool { if case .constant = self { true } else { false } }

  var isNull: Bool { if case .constant(.nothing) = self { true } else { false } }

  /// The kind of its values, if known.
  var kind: SlotKind? { if case .value(_, let kind) = self { kind } else { nil } }

  /// The kind of an attribute that a constant is a value of.
  var constantKind: SlotKind? {
    guard case .constant(let constant) = self else { return nil }
    return switch constant {
    case .bool: .boolean
    case .int: .int64
    case .double: .double
    case .date: .date
    case .string: .string
    case .data: .binary
    case .uuid: .uuid
    case .url: .uri
    case .decimal: .decimal
    case .nothing, .collection, .object, .other: nil
    }
  }
}

/// A to-many relationship met on a key path.
struct SQLCollection {
  let scope: QueryScope
  let owner: QueryScope.Source
  let relationship: LayoutProperty
  /// The rest of the path behind the relationship.
  let rest: [String]
  /// The predicate of a SUBQUERY, which its members meet.
  var filter: (variable: String, predicate: PredicateNode)?
}
