internal import CSQLite

/// Statements that may be stopped while they run.
extension Connection {
  /// How many instructions SQLite runs between two calls of the watch: some tens of microseconds.
  private static let stepsBetweenQuestions: Int32 = 2000

  /// Runs `body`, which steps through `statement`, and tells `watch` again and again how many rows there are. If
  /// `watch` throws, the statement stops, and the error is thrown from here.
  func watching<Result>(_ statement: Statement, watch: FetchWatch, body: () throws -> Result) throws -> Result {
    let watching = Watching(statement, watch)
    statement.rowCount = 0
    return try withExtendedLifetime(watching) {
      sqlite3_progress_handler(
        database, Connection.stepsBetweenQuestions,
        { pointer in Unmanaged<Watching>.fromOpaque(pointer!).takeUnretainedValue().goesOn ? 0 : 1 },
        Unmanaged.passUnretained(watching).toOpaque())
      defer { sqlite3_progress_handler(database, 0, nil, nil) }
      do {
        try watch.countRows(0)
        return try body()
      } catch let error as SQLiteError where error.isInterrupted {
        throw watching.reason ?? error
      }
    }
  }

  private final class Watching {
    private let statement: Statement
    private let watch: FetchWatch
    /// Why the statement was stopped.
    private(set) var reason: (any Error)?

    init(_ statement: Statement, _ watch: FetchWatch) {
      self.statement = statement
      self.watch = watch
    }

    var goesOn: Bool {
      do {
        try watch.countRows(statement.rowCount)
        return true
      } catch {
        reason = error
        return false
      }
    }
  }
}
