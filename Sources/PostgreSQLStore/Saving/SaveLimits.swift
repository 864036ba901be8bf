/// How long a save waits, in milliseconds; nil where the session has a limit of its own, from the URL, the role or the
/// database.
///
/// They are set for one transaction at a time: behind a connection pooler the session is another program's, too.
struct SaveLimits {
  /// For a lock that another session holds.
  var lock: Int?
  /// For this process, while others wait for its locks: after that the server ends the connection, and the save runs
  /// again.
  var idle: Int?

  /// The shortest limit of the second kind: a process may be slow where a machine has much to do.
  static let shortestIdle = 30_000

  /// Returns the statements that set the limits for the open transaction.
  func settings(endsIdle: Bool) -> String {
    let settings = [("lock_timeout", lock), ("idle_in_transaction_session_timeout", endsIdle ? idle : nil)]
    return settings.map { name, limit in limit.map { "SET LOCAL \(name) = \($0); " } ?? "" }.joined()
  }

  /// A condition that is always true, and limits the wait for locks from where it is asked.
  var condition: String { lock.map { " AND set_config('lock_timeout', '\($0)', true) <> ''" } ?? "" }
}
