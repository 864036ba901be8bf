/// A piece of SQL with the values of its parameters, in the order of the question marks.
struct SQLFragment: Hashable, ExpressibleByStringInterpolation {
  var sql: String
  var bindings: [Binding]

  init(_ sql: String, _ bindings: [Binding] = []) {
    self.sql = sql
    self.bindings = bindings
  }

  init(stringLiteral value: String) { self.init(value) }

  /// Joins pieces with a text between them.
  init(_ pieces: [SQLFragment], separator: String) {
    sql = pieces.map(\.sql).joined(separator: separator)
    bindings = pieces.flatMap(\.bindings)
  }

  /// Pieces in a text: `"(\(a) AND \(b))"`. A plain string in it is SQL; values come only in fragments.
  struct StringInterpolation: StringInterpolationProtocol {
    var sql = ""
    var bindings: [Binding] = []

    init(literalCapacity: Int, interpolationCount: Int) { sql.reserveCapacity(literalCapacity * 2) }
    mutating func appendLiteral(_ literal: String) { sql += literal }
    mutating func appendInterpolation(_ fragment: SQLFragment) {
      sql += fragment.sql
      bindings += fragment.bindings
    }
    mutating func appendInterpolation(_ text: String) { sql += text }
    mutating func appendInterpolation(_ number: Int64) { sql += String(number) }
    mutating func appendInterpolation(_ number: Int) { sql += String(number) }
    /// A value: a parameter.
    mutating func appendInterpolation(bound value: Binding) {
      sql += "?"
      bindings.append(value)
    }
  }

  init(stringInterpolation: StringInterpolation) {
    self.init(stringInterpolation.sql, stringInterpolation.bindings)
  }

  static let always: SQLFragment = " 1 = 1"
  static let never: SQLFragment = " 1 = 0"
}
