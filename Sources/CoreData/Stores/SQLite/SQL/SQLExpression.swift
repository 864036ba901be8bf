/// A value or a condition in SQL, as a tree. Each case shows the text it becomes. `SQLPrinter` decides on blanks,
/// parentheses and the order of the parameters.
///
/// A program's values are `Binding`s and nothing else is. All other text has two sources: names that the schema has
/// made safe for SQL, and words in this module's source, which `StaticString` guarantees.
package indirect enum SQLExpression {
  // Values.

  /// `t0.ZNAME`
  case column(_ alias: String, _ name: String)
  /// `NSCoreDataStoredData( t0.ZCOVER)`: the data of a column that may hold the name of a file.
  case storedData(SQLExpression)
  /// `?`
  case bound(Binding)
  /// `385`: a number of this module's own, such as a function's options.
  case number(Int64)
  /// `NULL`
  case word(StaticString)
  /// `power( t0.ZPAGES, ?)`: a function of SQLite's.
  case call(StaticString, [SQLExpression])
  /// `NSCoreDataFold( t0.ZNAME, 257)`: a function of `StoreFunctions`.
  case ownCall(StaticString, [SQLExpression])
  /// `NSCoreDataLike( t0.ZNAME,  ?, 257)`: a search in texts, for which Apple's statements have one more blank.
  case search(StaticString, SQLExpression, SQLExpression, [SQLExpression])
  /// `( t0.ZPAGES + ?)`
  case arithmetic(SQLExpression, Sign, SQLExpression)
  /// `- t0.ZPAGES`, `NOT EXISTS(…)`
  case prefix(Prefix, SQLExpression)
  /// `CASE WHEN t0.ZPAGES > ? THEN t0.ZTITLE ELSE t0.ZISBN END`
  case conditional(SQLExpression, then: SQLExpression, else: SQLExpression)
  /// `CAST( t0.ZPAGES AS TEXT)`
  case cast(SQLExpression, CastType)
  /// `MAX( t0.ZPAGES)`
  case aggregate(Aggregate, SQLExpression)
  /// `COUNT(t1.Z_PK)`
  case rowCount(_ alias: String)
  /// `(SELECT COUNT(*) FROM ZBOOK t0)`: the value of its only row, or the rows that `IN` looks through.
  case select(SelectStatement)
  /// `(SELECT COUNT(t1.Z_PK) FROM ZBOOK t1 WHERE  t1.ZAUTHOR = t0.Z_PK) `: a value computed from a row's members.
  /// Apple's statements have a blank behind it.
  case selectOfMembers(SelectStatement)
  /// `(?,?,?)`
  case list([SQLExpression])

  /// `(SELECT unnest(?))`: the values of an array, for engines with arrays.
  case elements(Binding)

  // Conditions.

  /// `1 = 1`, `1 = 0`
  case truth(Bool)
  /// `t0.ZNAME IS t0.ZTITLE`: equal, or both null.
  case same(SQLExpression, SQLExpression, isSame: Bool)
  /// `t0.ZNAME = ?`
  case infix(SQLExpression, StaticString, SQLExpression)
  /// `( t0.ZNAME >= ? AND t0.ZNAME < ?)`: two parts of one comparison.
  case pair(SQLExpression, StaticString, SQLExpression)
  /// `NOT IFNULL(( t0.ZPAGES > ?), 0)`: the condition is false, or unknown.
  case notTrue(SQLExpression)
  /// `EXISTS(SELECT 1 FROM …)`
  case exists(SelectStatement)
  /// `(( t0.ZNAME = ? AND  t0.ZBORN > ?) AND  t0.Z_ENT = ?)`: two or more conditions.
  case compound([SQLExpression], isAnd: Bool)

  package enum Sign: String {
    case plus = "+"
    case minus = "-"
    case times = "*"
    case over = "/"
    case modulo = "%"
    case and = "&"
    case or = "|"
    case leftShift = "<<"
    case rightShift = ">>"
  }

  package enum Prefix: String {
    /// Keeps SQLite from using an index.
    case plus = "+"
    case minus = "-"
    case complement = "~"
    case not = "NOT"
  }

  package enum CastType: String {
    case text = "TEXT"
    case real = "REAL"
    case integer = "INTEGER"
    /// A number, read from a text if need be.
    case numeric = "NUMERIC"
    /// A number of any size, for engines that have them, of what is a number already.
    case decimal = "DECIMAL"
  }
}

extension SQLExpression {
  package static let never = SQLExpression.truth(false)
  package static let null = SQLExpression.word("NULL")
  /// `?`, for a value that is bound when the statement runs.
  package static let parameter = SQLExpression.bound(.null)

  package var isAlways: Bool { if case .truth(true) = self { true } else { false } }
  package var isNever: Bool { if case .truth(false) = self { true } else { false } }

  /// Joins conditions by AND or OR. One condition stays as it is; no condition is true under AND and false under OR.
  package static func joined(_ conditions: [SQLExpression], isAnd: Bool) -> SQLExpression {
    switch conditions.count {
    case 0: .truth(isAnd)
    case 1: conditions[0]
    default: .compound(conditions, isAnd: isAnd)
    }
  }

  /// `( t0.ZNAME <> ? OR t0.ZNAME IS NULL)`
  package static func either(_ one: SQLExpression, _ other: SQLExpression) -> SQLExpression {
    .pair(one, "OR", other)
  }

  package static func both(_ one: SQLExpression, _ other: SQLExpression) -> SQLExpression { .pair(one, "AND", other) }

  /// The condition that the value is null, or is not null. It never reads an external file.
  package func isNull(_ isNull: Bool = true) -> SQLExpression {
    if case .storedData(let column) = self { return column.isNull(isNull) }
    return .infix(self, isNull ? "IS" : "IS NOT", .null)
  }

  /// `t0.Z_PK IN (?,?,?)`
  package func isInParameters(_ count: Int) -> SQLExpression {
    .infix(self, "IN", .list(Array(repeating: .parameter, count: count)))
  }

  /// The condition that the value is in a list. Null is in no list.
  package func isIn(_ list: SQLExpression, negated: Bool) -> SQLExpression {
    negated ? .either(.infix(self, "NOT IN", list), isNull()) : .infix(self, "IN", list)
  }
}
