internal import CoreData
import Foundation

/// What a connection leaves in the database with each save, so that a save whose answer was lost can be looked up.
///
/// A connection has a row in `Z_WRITERS`. Each save gives it the next number, in the save's own transaction: the row
/// has the number exactly if the save is committed. Whoever lost an answer **takes the row away** and sees what it had:
///
/// - while the server is still busy with the save, it holds the row, and the look waits;
/// - a save that the server meets only later finds no row, and writes nothing. So what was looked up as lost stays
///   lost, and may be tried again: nothing is done twice.
///
/// Numbers of transactions would not do: after a crash the server may give one out again.
struct SaveMark {
  let writer: UUID
  let number: Int64
  /// What the transaction tells others of when it is committed.
  let notice: CommitNotice?

  static let table =
    "CREATE TABLE Z_WRITERS (Z_WRITER uuid PRIMARY KEY, Z_LAST bigint NOT NULL, Z_TIME timestamptz NOT NULL)"

  /// After how long a row that nobody has written to is another's who has gone without taking it along.
  private static let age = "interval '7 days'"

  static func register(_ writer: UUID, _ connection: Connection) throws {
    try connection.run(
      "DELETE FROM Z_WRITERS WHERE Z_TIME < now() - \(age); "
        + "INSERT INTO Z_WRITERS (Z_WRITER, Z_LAST, Z_TIME) VALUES ('\(writer)', 0, now()) ON CONFLICT DO NOTHING")
  }

  /// Begins a transaction that leaves the mark.
  var begin: String {
    "BEGIN; UPDATE Z_WRITERS SET Z_LAST = \(number), Z_TIME = now() WHERE Z_WRITER = '\(writer)'\(returning)"
  }

  private var returning: String { notice.map { " RETURNING \($0.call)" } ?? "" }

  /// A statement, which is a transaction by itself, with the mark: it writes nothing without the row, and the mark is
  /// left only if it has written so many rows.
  ///
  /// - Parameter sql: ends in a condition, to which another one is added.
  func around(_ sql: String, rows: Int) -> String {
    "WITH w AS (SELECT FROM Z_WRITERS WHERE Z_WRITER = '\(writer)' FOR UPDATE), "
      + "s AS (\(sql) AND EXISTS (SELECT FROM w) RETURNING 1) "
      + "UPDATE Z_WRITERS SET Z_LAST = Z_LAST + 1, Z_TIME = now() "
      + "WHERE Z_WRITER = '\(writer)' AND (SELECT count(*) FROM s) = \(rows)\(returning)"
  }

  /// Whether the save is committed. Takes the row away.
  func isCommitted(_ connection: Connection) throws -> Bool {
    let rows = try connection.run(
      "DELETE FROM Z_WRITERS WHERE Z_WRITER = '\(writer)' RETURNING Z_LAST::text")
    return rows.count > 0 && (rows.text(0, 0).flatMap { Int64($0) } ?? 0) >= number
  }
}
