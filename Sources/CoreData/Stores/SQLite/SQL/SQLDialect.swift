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
/// | a decimal | the nearest floating number | a `numeric` with all its digits |
/// | division by zero | null | an error, so a divisor of 0 is replaced with null |
/// | numbers beside texts | become texts | become texts through `NSCoreDataText` |
/// | a text that is no number, as a number | 0 | an error, so functions of our own read it |
/// | the negative of the smallest integer | a floating number | an error, so each number becomes a decimal before |
/// | the width of a shift | any integer | 0 to 63, so a function of our own takes any other |
/// | a power that is too large | infinite | an error, so functions of our own compute powers |
/// | a value that no index finds | `+ a` | `a`, since the sign is refused before a text |
/// | an offset without a limit | `LIMIT -1 OFFSET 3` | `OFFSET 3` |
/// | a select in the place of a table | `(SELECT …)` | `(SELECT …) f`, which versions before 16 require |
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

  /// Whether a parameter may be a number with more digits than a floating one has.
  var hasDecimals: Bool {
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
    // PostgreSQL's own refuse what is too large, too small, or no number.
    case "power": return "NSCoreDataPower"
    case "exp": return "NSCoreDataExponential"
    case "min": return "NSCoreDataLeast"
    case "max": return "NSCoreDataGreatest"
    default: return name
    }
  }

  /// A node as the engine takes it. Its parts are not adapted yet.
  func adapted(_ node: SQLExpression) -> SQLExpression {
    switch self {
    case .sqlite: node
    case .postgreSQL: adaptedToPostgreSQL(node)
    }
  }

  private func adaptedToPostgreSQL(_ node: SQLExpression) -> SQLExpression {
    switch node {
    case .arithmetic(let left, .over, let right):
      // A number read from a text may be whole or not, which decides how a division rounds.
      if case .cast(_, .numeric) = left { return .ownCall("NSCoreDataDivide", [left, right]) }
      return .arithmetic(left, .over, .call("NULLIF", [right, .number(0)]))
    case .arithmetic(let left, .modulo, let right):
      return .arithmetic(left, .modulo, .call("NULLIF", [right, .number(0)]))
    case .arithmetic(let left, .leftShift, let right): return shift(left, right, sign: .leftShift)
    case .arithmetic(let left, .rightShift, let right): return shift(left, right, sign: .rightShift)
    case .prefix(.plus, let value): return value
    case .prefix(.minus, let value): return .prefix(.minus, .cast(value, .decimal))
    case .cast(let value, .real): return .ownCall("NSCoreDataReal", [value])
    case .cast(let value, .numeric): return .ownCall("NSCoreDataNumber", [value])
    default: return node
    }
  }

  /// A shift in PostgreSQL, which takes the width by its last bits: 64 would be 0.
  private func shift(_ left: SQLExpression, _ right: SQLExpression, sign: SQLExpression.Sign) -> SQLExpression {
    if case .bound(.int(0..<64)) = right { return .arithmetic(left, sign, .cast(right, .integer)) }
    return .ownCall("NSCoreDataShift", [left, right, .number(sign == .leftShift ? 1 : -1)])
  }

  /// The sign between two values that are equal or both null, or are not.
  func sign(isSame: Bool) -> StaticString {
    switch self {
    case .sqlite: isSame ? "IS" : "IS NOT"
    case .postgreSQL: isSame ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM"
    }
  }

  /// The SQL before and behind a condition that is to be false or unknown.
  var notTrue: (before: StaticString, after: StaticString) {
    switch self {
    case .sqlite: ("NOT IFNULL((", "), 0)")
    case .postgreSQL: ("((", ") IS NOT TRUE)")
    }
  }

  /// What stands behind a sort value, so that null is less than any value.
  func nulls(isAscending: Bool) -> String {
    switch self {
    case .sqlite: ""
    case .postgreSQL: isAscending ? " NULLS FIRST" : " NULLS LAST"
    }
  }

  /// What stands before OFFSET if there is no limit.
  var noLimit: String {
    switch self {
    case .sqlite: " LIMIT -1"
    case .postgreSQL: ""
    }
  }

  /// What stands behind a select in the place of a table.
  var aliasOfSelect: String {
    switch self {
    case .sqlite: ""
    case .postgreSQL: " f"
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
