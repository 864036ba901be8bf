extension Aggregate {
  /// The SQL before the operand and behind it.
  func sql(_ dialect: SQLDialect) -> (before: StaticString, after: StaticString) {
    switch self {
    case .count: ("COUNT(", ")")
    // SQL's sum of no rows is null; Core Data's is 0.
    case .sum: dialect == .sqlite ? ("IFNULL(SUM(", "), 0)") : ("COALESCE(SUM(", "), 0)")
    case .min: ("MIN(", ")")
    case .max: ("MAX(", ")")
    // PostgreSQL's average of integers is a decimal.
    case .average: dialect == .sqlite ? ("AVG(", ")") : ("AVG(CAST(", " AS DOUBLE PRECISION))")
    }
  }

  /// The kind of the result for operands of a kind.
  func kind(of operand: SlotKind?) -> SlotKind? {
    switch self {
    case .count: .int64
    case .average: .double
    case .min, .max: operand
    case .sum:
      // The sum of truths is their number; that of dates is no date.
      switch operand {
      case .boolean: .int64
      case .date: .double
      default: operand
      }
    }
  }
}
