extension Aggregate {
  /// What stands before the parenthesis of the operand, and behind it.
  var sql: (before: StaticString, after: StaticString) {
    switch self {
    case .count: ("COUNT", "")
    // SQLite's sum of nothing is null.
    case .sum: ("IFNULL(SUM", ", 0)")
    case .min: ("MIN", "")
    case .max: ("MAX", "")
    case .average: ("AVG", "")
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
