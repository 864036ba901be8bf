import Foundation
import SQLDebugLog

/// A statement that ran, with its bound values.
public struct SQLStatement: Hashable, Sendable {
  private let template: String
  /// The values as SQL literals.
  private let values: [String]

  /// The stack prints values as `(int64)1`, `Z_PK = 1` or `ZTITLE = string("Solaris")`.
  init(_ logged: SQLDebugLog.Statement) {
    template = logged.sql
    values = logged.values.map(Self.literal)
  }

  /// The statement with its values. If some values weren't printed, it has question marks.
  public var text: String {
    let parts = template.split(separator: "?", omittingEmptySubsequences: false)
    guard parts.count == values.count + 1 else { return template }
    return zip(parts, values + [""]).map { $0 + $1 }.joined()
  }

  private static func literal(_ printed: String) -> String {
    let text = printed.replacing(#/^Z[A-Z0-9_]* = /#, with: "").replacing(#/^\([a-z0-9]+\)/#, with: "")
    if let match = text.wholeMatch(of: #/([a-z]+)[0-9]*\((.*)\)/#) {
      return literal(of: String(match.2), kind: match.1)
    }
    return literal(of: text, kind: "")
  }

  /// The value as the column stores it: a date in seconds since 2001, a UUID as its bytes.
  private static func literal(of text: String, kind: Substring) -> String {
    switch kind {
    case "date":
      let iso = text.replacing(#/^(\S+) (\S+) \+0000$/#) { "\($0.1)T\($0.2)Z" }
      guard let date = try? Date(iso, strategy: .iso8601) else { return text }
      return String(format: "%.15g", date.timeIntervalSinceReferenceDate)
    case "uuid": return "x'\(text.replacing("-", with: "").lowercased())'"
    case "uri", "url": return "'\(text)'"
    default: break
    }
    if text.count > 1, text.hasPrefix("\""), text.hasSuffix("\"") {
      return "'" + text.dropFirst().dropLast().replacing("\\\"", with: "\"").replacing("'", with: "''") + "'"
    }
    return text == "null" ? "NULL" : text
  }

  /// Work that the store does for itself, and that a reader need not follow.
  public enum Housekeeping: CaseIterable, Sendable {
    case keys, history, batch

    /// The words that follow a number of statements.
    public var words: String {
      switch self {
      case .keys: "for the keys of new rows"
      case .history: "for the history"
      case .batch: "to note which rows the batch means"
      }
    }
  }

  /// The kind of housekeeping; nil if the statement reads or writes what the program asked for.
  public var housekeeping: Housekeeping? {
    // Entity numbers above 16000 belong to the history.
    if text.contains(#/\b(ATRANSACTION|ATRANSACTIONSTRING|ACHANGE)\b|\bZ_ENT = 16\d{3}\b/#) { return .history }
    if template.contains(" Z_PRIMARYKEY ") { return .keys }
    return template.contains("_Z_BATCH") && !template.hasPrefix("UPDATE") && !template.hasPrefix("DELETE FROM Z")
      ? .batch : nil
  }

  public var beginsTransaction: Bool { template.hasPrefix("BEGIN") }
  public var endsTransaction: Bool { template == "COMMIT" || template == "ROLLBACK" }
}

extension [SQLStatement] {
  /// The statements that matter, and the numbers of others by kind. A transaction that only does housekeeping counts
  /// among the others with all its statements.
  public var essential: (statements: [SQLStatement], others: [(kind: SQLStatement.Housekeeping, count: Int)]) {
    var kept: [SQLStatement] = []
    var counts: [SQLStatement.Housekeeping: Int] = [:]
    var rest = self[...]
    while let statement = rest.first {
      var length = 1
      if statement.beginsTransaction, let end = rest.firstIndex(where: \.endsTransaction),
        let kind = rest.dropFirst().first?.housekeeping,
        rest[..<end].dropFirst().allSatisfy({ $0.housekeeping == kind })
      {
        length = end - rest.startIndex + 1
        counts[kind, default: 0] += length
      } else if let kind = statement.housekeeping {
        counts[kind, default: 0] += 1
      } else {
        kept.append(statement)
      }
      rest = rest.dropFirst(length)
    }
    return (kept, SQLStatement.Housekeeping.allCases.compactMap { kind in counts[kind].map { (kind, $0) } })
  }
}
