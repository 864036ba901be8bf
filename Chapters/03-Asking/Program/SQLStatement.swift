import Foundation
import SQLDebugLog

/// A statement that the store ran.
struct SQLStatement {
  /// Without the blanks inside parentheses, which Core Data puts in and no reader needs.
  let sql: String
  /// The values bound to each `?`, in order.
  let values: [String]
  /// How SQLite goes about it.
  let plan: [String]

  private init(_ logged: SQLDebugLog.Statement) {
    sql = logged.sql.replacingOccurrences(of: "( ", with: "(").replacingOccurrences(of: " )", with: ")")
    // `(int64)1850` as `1850`.
    values = logged.values.map {
      $0.replacingOccurrences(of: #"^\((int64|double)\)"#, with: "", options: .regularExpression)
    }
    plan = logged.plan
  }

  /// What comes behind the table's name: joins, conditions, order, limit. All of it where nothing does.
  var tail: String {
    guard let from = sql.range(of: #" FROM Z[A-Z0-9_]+ t0"#, options: .regularExpression) else { return sql }
    return sql[from.upperBound...].trimmingCharacters(in: .whitespaces)
  }

  /// The joins and the condition alone.
  var condition: String { tail.components(separatedBy: " ORDER BY ")[0].components(separatedBy: " LIMIT ")[0] }

  /// How many values the condition has; those of a limit follow.
  var conditionValues: [String] { Array(values.prefix(condition.filter { $0 == "?" }.count)) }

  /// The statements that read in a text of Core Data's lines, and the lines that are not Core Data's.
  static func read(_ text: String) -> (statements: [SQLStatement], others: String) {
    var log = SQLDebugLog()
    var others = ""
    for line in text.split(separator: "\n") where !log.take(line) && !line.hasPrefix("CoreData: ") {
      others += line + "\n"
    }
    return (log.statements.map(SQLStatement.init).filter { $0.sql.hasPrefix("SELECT") }, others)
  }
}
