/// What Core Data prints with `-com.apple.CoreData.SQLDebug`, read line by line: the statements, at level 3 what was
/// bound to them, at level 4 SQLite's plans.
public struct SQLDebugLog: Sendable {
  public struct Statement: Sendable {
    /// The statement's text, with single blanks.
    public let sql: String
    /// The values bound to each `?`, in order and as they are printed: `(int64)1850`.
    public fileprivate(set) var values: [String] = []
    /// The lines of SQLite's plan.
    public fileprivate(set) var plan: [String] = []
  }

  public private(set) var statements: [Statement] = []

  public init() {}

  /// Adds a line, if it is about a statement.
  ///
  /// - Returns: Whether it is one.
  public mutating func take(_ line: some StringProtocol) -> Bool {
    if let sql = Self.rest(of: line, after: "CoreData: sql: ") {
      statements.append(Statement(sql: sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")))
    } else if statements.isEmpty {
      return false
    } else if let bound = Self.rest(of: line, after: "CoreData: details: SQLite bind["),
      let end = bound.firstRange(of: "] = ")
    {
      statements[statements.count - 1].values.append(String(bound[end.upperBound...]))
    } else if let step = Self.rest(of: line, after: "CoreData: details:   ") {
      statements[statements.count - 1].plan.append(String(step))
    } else {
      return false
    }
    return true
  }

  private static func rest<Line: StringProtocol>(of line: Line, after prefix: String) -> Line.SubSequence? {
    line.hasPrefix(prefix) ? line.dropFirst(prefix.count) : nil
  }
}
