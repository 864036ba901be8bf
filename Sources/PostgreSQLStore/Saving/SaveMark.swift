internal import CoreData
import Foundation

/// The mark that each save leaves in the database. If the server's answer is lost, the mark tells whether the save was
/// committed.
///
/// A connection has a row in `Z_WRITERS`. Each save writes its number to that row, in its own transaction: the row
/// has the number exactly if the save is committed. A store that lost an answer **deletes the row** and reads it:
///
/// - if the server is still busy with the save, the save holds a lock on the row, and the deletion waits. It does not
///   wait for long: a server that has not noticed that the connection is gone may hold the lock for hours;
/// - if the save reaches the server only later, it finds no row and writes nothing. A save that was looked up as lost
///   stays lost, so the store can run it again: nothing is written twice.
///
/// The server's transaction numbers would not do: after a crash the server may use a number again.
struct SaveMark {
  let writer: UUID
  let number: Int64
  /// The notification that the commit sends; nil if notifications are off.
  let notice: CommitNotice?
  let limits: SaveLimits
  /// Whether the save must find no transaction of a history, since it leaves none itself.
  let isUntracked: Bool

  static let table =
    "CREATE TABLE Z_WRITERS (Z_WRITER uuid PRIMARY KEY, Z_LAST bigint NOT NULL, Z_TIME timestamptz NOT NULL)"

  /// The age at which an unused row is deleted: its connection has ended without deleting it.
  private static let age = "interval '7 days'"

  /// Makes a connection's row, and returns the limits of its saves.
  ///
  /// - Parameter patience: the longest wait for a lock, in seconds, where the session has no limit of its own.
  static func register(_ writer: UUID, patience: TimeInterval, _ connection: Connection) throws -> SaveLimits {
    let lock = StoreSettings.milliseconds(patience)
    let unlimited = try connection.run(
      "SELECT set_config('lock_timeout', '\(lock)', true) WHERE current_setting('lock_timeout') = '0'; "
        + "DELETE FROM Z_WRITERS WHERE Z_TIME < now() - \(age); "
        + "INSERT INTO Z_WRITERS (Z_WRITER, Z_LAST, Z_TIME) VALUES ('\(writer)', 0, now()) ON CONFLICT DO NOTHING; "
        + "SELECT name FROM pg_settings WHERE name IN ('lock_timeout', 'idle_in_transaction_session_timeout') "
        + "AND reset_val = '0'")
    let names = (0..<unlimited.count).compactMap { unlimited.text($0, 0) }
    return SaveLimits(
      lock: names.contains("lock_timeout") ? lock : nil,
      idle: names.contains("idle_in_transaction_session_timeout") ? max(lock, SaveLimits.shortestIdle) : nil)
  }

  /// Renames all rows, so that each connection has to register again before it writes, after the saves that are under
  /// way. A lost save is found by the new name, too: a random UUID has no `0` in its 15th place.
  ///
  /// - Parameter patience: the longest wait for saves that are under way, in seconds.
  static func retireAll(patience: TimeInterval, _ connection: Connection) throws {
    try connection.run(
      "SET LOCAL lock_timeout = \(StoreSettings.milliseconds(patience)); LOCK TABLE Z_WRITERS IN EXCLUSIVE MODE; "
        + "UPDATE Z_WRITERS SET Z_WRITER = overlay(Z_WRITER::text PLACING '0' FROM 15 FOR 1)::uuid")
  }

  /// The name of the row once `retireAll` has renamed it.
  private var retired: String {
    var name = Array(writer.uuidString)
    name[14] = "0"
    return String(name)
  }

  /// What else has to be true where the save begins.
  private var condition: String { isUntracked ? " AND NOT EXISTS (SELECT FROM ATRANSACTION)" : "" }

  /// Returns the statements that begin a transaction and leave the mark.
  ///
  /// - Parameter runsCode: whether the program's code runs in the transaction, for as long as it takes.
  func begin(runsCode: Bool = false) -> String {
    "\(Connection.begin); \(limits.settings(endsIdle: !runsCode))"
      + "UPDATE Z_WRITERS SET Z_LAST = \(number), Z_TIME = now() WHERE Z_WRITER = '\(writer)'\(condition)\(returning)"
  }

  private var returning: String { notice.map { " RETURNING \($0.call)" } ?? "" }

  /// Returns one statement that runs `sql` and leaves the mark, as a transaction of its own. It writes nothing if the
  /// connection's row is missing, and leaves the mark only if it has written `rows` rows.
  ///
  /// - Parameter sql: a statement that ends in a condition, so that another condition can be added.
  func around(_ sql: String, rows: Int) -> String {
    "WITH w AS (SELECT FROM Z_WRITERS WHERE Z_WRITER = '\(writer)'\(condition)\(limits.condition) FOR UPDATE), "
      + "s AS (\(sql) AND EXISTS (SELECT FROM w) RETURNING 1) "
      + "UPDATE Z_WRITERS SET Z_LAST = Z_LAST + 1, Z_TIME = now() "
      + "WHERE Z_WRITER = '\(writer)' AND (SELECT count(*) FROM s) = \(rows)\(returning)"
  }

  /// Returns whether the save was committed, and deletes the row.
  ///
  /// The deletion is committed by a second request: if the answer to the first is lost, the row is still there to be
  /// asked again.
  ///
  /// - Parameter patience: the longest wait for the save's own transaction, in seconds. Then the error is 55P03.
  func isCommitted(_ connection: Connection, patience: TimeInterval) throws -> Bool {
    var isThere = false
    do {
      let limit = StoreSettings.milliseconds(patience)
      // At another level the deletion would fail if the save commits meanwhile, and not see its number.
      try connection.run("\(Connection.begin); SET LOCAL lock_timeout = \(limit)")
      try connection.finishingTransaction {
        let rows = try connection.run(
          "DELETE FROM Z_WRITERS WHERE Z_WRITER IN ('\(writer)', '\(retired)') RETURNING Z_LAST::text")
        isThere = rows.count > 0 && (rows.text(0, 0).flatMap { Int64($0) } ?? 0) >= number
      }
    } catch let error as ServerError where error.isLost && isThere {
      // Only the deletion is not certain, and such a row does no harm.
    }
    return isThere
  }
}
