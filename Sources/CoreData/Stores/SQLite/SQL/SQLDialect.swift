/// The SQL that a tree is printed as. Trees are the same for all engines. The differences are in this table, and none
/// of them matters if a statement is found by its shape.
///
/// | | SQLite | PostgreSQL |
/// |---|---|---|
/// | a value, or another if it is null | `IFNULL(a, b)` | `COALESCE(a, b)` |
/// | equal, or both null | `a IS b` | `a IS NOT DISTINCT FROM b` |
/// | false or unknown | `NOT IFNULL((c), 0)` | `(c) IS NOT TRUE` |
/// | nulls in an order | come first | come first if the statement says so |
/// | rows with equal sort values | by key | by key if the statement says so |
/// | a list of any length | a JSON array opened as a table | an array |
/// | division by zero | null | an error, so a divisor of 0 is replaced with null |
/// | numbers beside texts | become texts | become texts through `NSCoreDataText` |
///
/// Functions whose names begin with `NSCoreData` are this project's own in both engines. `StoreFunctions` has them for
/// SQLite; a store on another engine creates them in its database.
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

  /// Whether rows with equal sort values come in the order of their keys by themselves.
  var ordersByKey: Bool {
    switch self {
    case .sqlite: true
    case .postgreSQL: false
    }
  }

  /// The dialect's name for one of SQLite's functions.
  func name(of function: StaticString) -> String {
    let name = function.description
    guard self == .postgreSQL else { return name }
    switch name {
    case "IFNULL": return "COALESCE"
    // These return null outside their domain, and if one of several arguments is null.
    case "sqrt": return "NSCoreDataSquareRoot"
    case "ln": return "NSCoreDataLogarithm"
    case "log10": return "NSCoreDataLogarithm10"
    case "min": return "NSCoreDataLeast"
    case "max": return "NSCoreDataGreatest"
    default: return name
    }
  }

  /// The function to call instead of a CAST to a number, if the engine refuses to cast a text that is not a number; nil
  /// if CAST will do.
  func function(forCastTo type: StaticString) -> StaticString? {
    guard self == .postgreSQL else { return nil }
    switch type.description {
    case "REAL": return "NSCoreDataReal"
    case "NUMERIC": return "NSCoreDataNumber"
    default: return nil
    }
  }

  /// Whether rows are ordered by folded texts instead of a collation.
  func isFolded(_ collation: SortKey.Collation) -> Bool { self == .postgreSQL && collation == .caseInsensitive }

  /// The start time of the statement, in seconds since 2001-01-01 00:00 UTC.
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
  /// The direction of an index's column, to match the order that fetches ask for.
  static func direction(isAscending: Bool, _ dialect: SQLDialect) -> String {
    switch dialect {
    case .sqlite: "COLLATE BINARY \(isAscending ? "ASC" : "DESC")"
    case .postgreSQL: isAscending ? "ASC NULLS FIRST" : "DESC NULLS LAST"
    }
  }
}
