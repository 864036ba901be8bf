import Foundation

/// A statement that the store ran, out of the lines of `-com.apple.CoreData.SQLDebug 4`.
struct SQLStatement {
  /// Without the blanks that Core Data puts in and nobody needs.
  let sql: String
  /// What stands for each `?`, in their order.
  var values: [String] = []
  /// How SQLite goes about it.
  var plan: [String] = []

  /// What comes behind the table's name: joins, conditions, order, limit. All of it where nothing does.
  var tail: String {
    guard let from = sql.range(of: #" FROM Z[A-Z0-9_]+ t0"#, options: .regularExpression) else { return sql }
    return sql[from.upperBound...].trimmingCharacters(in: .whitespaces)
  }

  /// The joins and the condition alone.
  var condition: String { tail.components(separatedBy: " ORDER BY ")[0].components(separatedBy: " LIMIT ")[0] }

  /// How many values the condition has; those of a limit follow.
  var conditionValues: [String] { Array(values.prefix(condition.filter { $0 == "?" }.count)) }

  /// The statements that read in a text of Core Data's lines, and the lines that are not of its SQL.
  static func read(_ text: String) -> (statements: [SQLStatement], others: String) {
    var statements: [SQLStatement] = []
    var others = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let sql = line.rest(after: "CoreData: sql: ") {
        statements.append(SQLStatement(sql: squeezed(sql)))
      } else if let value = line.rest(after: "CoreData: details: SQLite bind["), !statements.isEmpty {
        statements[statements.count - 1].values.append(readable(value))
      } else if let step = line.rest(after: "CoreData: details:   "), !statements.isEmpty {
        statements[statements.count - 1].plan.append(step)
      } else if !line.hasPrefix("CoreData: "), !line.isEmpty {
        others += line + "\n"
      }
    }
    return (statements.filter { $0.sql.hasPrefix("SELECT") }, others)
  }

  private static func squeezed(_ sql: String) -> String {
    sql.split(separator: " ").joined(separator: " ")
      .replacingOccurrences(of: "( ", with: "(").replacingOccurrences(of: " )", with: ")")
  }

  /// `0] = (int64)1850` as `1850`.
  private static func readable(_ value: String) -> String {
    guard let equals = value.range(of: "] = ") else { return value }
    return value[equals.upperBound...]
      .replacingOccurrences(of: #"^\((int64|double)\)"#, with: "", options: .regularExpression)
  }
}

extension Substring {
  fileprivate func rest(after prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }
}
