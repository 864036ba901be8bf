extension Aggregate {
  /// What stands before the parenthesis of the operand, and behind it.
  func sql(_ dialect: SQLDialect) -> (before: StaticString, after: StaticString) {
    switch self {
    case .count: ("COUNT", "")
    // SQL's sum of nothing is null.
    case .sum: dialect == .sqlite ? ("IFNULL(SUM", ", 0)") : ("COALESCE(SUM", ", 0)")
    case .min: ("MIN", "")
    case .max: ("MAX", "")
    // Of integers PostgreSQL makes decimals.
    case .average: dialect == .sqlite ? ("AVG", "") : ("AVG(CAST", " AS DOUBLE PRECISION))")
    }
  }

  /// The kind of value that comes of values of a kind.
  func kind(of operand: SlotKind?) -> SlotKind? {
    switch self {
    case .count: .int64
    case .average: .double
    case .sum, .min, .max: operand
    }
  }
}
