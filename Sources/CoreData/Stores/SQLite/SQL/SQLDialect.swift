/// Whose SQL a tree is printed as. Trees are the same for all engines; what differs is the table below, and nothing
/// of it is asked where a statement is found by its shape.
///
/// | | SQLite | PostgreSQL |
/// |---|---|---|
/// | a value, if null another | `IFNULL(a, b)` | `COALESCE(a, b)` |
/// | equal, or both null | `a IS b` | `a IS NOT DISTINCT FROM b` |
/// | false or unknown | `NOT IFNULL((c), 0)` | `(c) IS NOT TRUE` |
/// | nulls in an order | come first | are told to |
/// | rows of one place in an order | by key | by key, where the statement says so |
/// | a list of any length | a JSON array that is opened as a table | an array |
/// | division by zero | null | an error, so the divisor becomes null |
/// | numbers beside texts | become texts | are made texts by `NSCoreDataText` |
///
/// Functions whose names begin with `NSCoreData` are this project's own in both: `StoreFunctions` has them for SQLite,
/// a store of another engine makes them in its database.
package enum SQLDialect {
  case sqlite
  case postgreSQL

  /// Whether a parameter may be an array.
  var hasArrays: Bool {
    switch self {
    case .sqlite: false
    case .postgreSQL: true
    }
  }

  /// Whether rows that an order leaves undecided come by key without being asked.
  var ordersByKey: Bool {
    switch self {
    case .sqlite: true
    case .postgreSQL: false
    }
  }

  /// What a function of SQLite's is called.
  func name(of function: StaticString) -> String {
    let name = function.description
    guard self == .postgreSQL else { return name }
    switch name {
    case "IFNULL": return "COALESCE"
    // Null where they are not defined, and where one of several is null.
    case "sqrt": return "NSCoreDataSquareRoot"
    case "ln": return "NSCoreDataLogarithm"
    case "log10": return "NSCoreDataLogarithm10"
    case "min": return "NSCoreDataLeast"
    case "max": return "NSCoreDataGreatest"
    default: return name
    }
  }

  /// What a CAST is a call of: where a text that is no number may not be cast to one.
  func function(forCastTo type: StaticString) -> StaticString? {
    guard self == .postgreSQL else { return nil }
    switch type.description {
    case "REAL": return "NSCoreDataReal"
    case "NUMERIC": return "NSCoreDataNumber"
    default: return nil
    }
  }

  /// Whether an order is one of folded texts, and of no collation.
  func isFolded(_ collation: SortKey.Collation) -> Bool { self == .postgreSQL && collation == .caseInsensitive }

  /// The time at which the statement began, in seconds since 2001-01-01 00:00 UTC.
  var now: StaticString {
    switch self {
    case .sqlite: "(julianday('now') - 2451910.5) * 86400.0"
    case .postgreSQL: "extract(epoch FROM statement_timestamp())::double precision - 978307200"
    }
  }

  /// The name of a collation; nil for the order of bytes.
  func collation(_ collation: SortKey.Collation) -> String? { isFolded(collation) ? nil : collation.sqlName }
}

extension SQLName {
  /// How an index says which way round it is, in the order that fetches ask for.
  static func direction(isAscending: Bool, _ dialect: SQLDialect) -> String {
    switch dialect {
    case .sqlite: "COLLATE BINARY \(isAscending ? "ASC" : "DESC")"
    case .postgreSQL: isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
    }
  }
}
