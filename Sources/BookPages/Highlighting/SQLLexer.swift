/// SQL as SQLite reads it.
struct SQLLexer: Lexer {
  mutating func skipToken(in scanner: inout CodeScanner) -> Token.Kind {
    if scanner.rest.hasPrefix("--") {
      scanner.skipLine()
      return .comment
    }
    if scanner.skip("/*") {
      scanner.skip(behind: "*/")
      return .comment
    }
    guard let next = scanner.next else { return .plain }
    switch next {
    case "'":
      scanner.skipQuoted("'", escape: "'")
      return .string
    case "\"":
      // A quoted name.
      scanner.skipQuoted("\"", escape: "\"")
      return .plain
    case "?":
      scanner.advance()
      return .number
    case "…":
      scanner.advance()
      return .comment
    case _ where next.isNumber:
      scanner.skipNumber()
      return .number
    case _ where next.beginsIdentifier:
      let start = scanner.position
      scanner.skip(while: \.continuesIdentifier)
      return Self.keywords.contains(scanner.slice(from: start).uppercased()) ? .keyword : .plain
    default:
      scanner.advance()
      return .plain
    }
  }

  private static let keywords: Set<String> = [
    "ABORT", "ADD", "ALL", "ALTER", "ANALYZE", "AND", "AS", "ASC", "ATTACH", "BEGIN", "BETWEEN", "BLOB", "BY", "CASE",
    "CAST", "COLLATE", "COLUMN", "COMMIT", "CONFLICT", "CONSTRAINT", "CREATE", "CROSS", "DEFAULT", "DELETE", "DESC",
    "DETACH", "DISTINCT", "DO", "DROP", "ELSE", "END", "ESCAPE", "EXCEPT", "EXCLUSIVE", "EXISTS", "EXPLAIN", "FAIL",
    "FLOAT", "FOREIGN", "FROM", "GLOB", "GROUP", "HAVING", "IF", "IGNORE", "IMMEDIATE", "IN", "INDEX", "INNER",
    "INSERT", "INTEGER", "INTERSECT", "INTO", "IS", "JOIN", "KEY", "LEFT", "LIKE", "LIMIT", "NOT", "NULL", "OFFSET",
    "ON", "OR", "ORDER", "OUTER", "PLAN", "PRAGMA", "PRIMARY", "QUERY", "REAL", "REFERENCES", "RELEASE", "RENAME",
    "REPLACE", "ROLLBACK", "SAVEPOINT", "SELECT", "SET", "TABLE", "TEMP", "TEXT", "THEN", "TIMESTAMP", "TO",
    "TRANSACTION", "TRIGGER", "UNION", "UNIQUE", "UPDATE", "USING", "VACUUM", "VALUES", "VARCHAR", "VIEW", "WHEN",
    "WHERE", "WITH", "WITHOUT",
  ]
}
