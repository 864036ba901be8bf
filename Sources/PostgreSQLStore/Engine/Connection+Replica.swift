import Foundation

/// The error of a replica that can't be used now.
struct ReplicaUnusable: Error {
  let reason: String
}

/// How far a primary and its replica are: places in the server's log, in bytes since its beginning.
extension Connection {
  /// The place that a primary has come to. The place up to which its log is on disk would not do: with
  /// `synchronous_commit` off, commits can be read before they are there.
  func logPosition() throws -> Int64 {
    try execute("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").int(0, 0)
  }

  /// The place up to which a replica has replayed the log; nil if it does not get as far as `floor` in time. Throws
  /// `ReplicaUnusable` if it is no replica.
  func replayedPosition(reaching floor: Int64, until deadline: TimeInterval) throws -> Int64? {
    while true {
      let rows: ServerRows
      do {
        rows = try execute("SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint, pg_is_in_recovery()::text")
      } catch let error as ServerError where !error.isLost {
        throw ReplicaUnusable(reason: "it does not say how far it is: \(error.message)")
      }
      guard rows.text(0, 1) == "true" else { throw ReplicaUnusable(reason: "it is a primary itself") }
      if rows.int(0, 0) >= floor { return rows.int(0, 0) }
      guard ReadReplica.now < deadline else { return nil }
      Thread.sleep(forTimeInterval: 0.002)
    }
  }
}
