internal import CoreData
import Foundation

/// A connection with an open transaction that sees the state at its start, and no later commit. It belongs to no pool
/// and lives as long as that state is in use. Safe on any thread.
///
/// Meanwhile the server keeps every older version of a row that this transaction might read.
final class PinnedConnection: @unchecked Sendable {
  // `@unchecked Sendable`: `connection` is only touched under `lock`.

  private let lock = NSLock()
  private var connection: Connection?

  init(_ connection: Connection) throws {
    // The first query fixes the state. After an error the transaction goes back to the savepoint.
    try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SELECT 1; SAVEPOINT pinned")
    self.connection = connection
  }

  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.withLock {
      guard let connection else {
        throw StoreFailure.generationUnavailable("the store was removed while the context was pinned")
      }
      do { return try body(connection) } catch let error as ServerError where error.isLost || connection.isBroken {
        throw StoreFailure.generationUnavailable(
          "the connection that held the context's state was lost, and the server keeps it no longer: \(error.message)")
      } catch {
        try connection.run("ROLLBACK TO SAVEPOINT pinned")
        if connection.hasStalePlans { try connection.forgetPlans() }
        // From now on the connection prepares nothing.
        if (error as? ServerError)?.isOfForeignPlan == true { return try body(connection) }
        throw error
      }
    }
  }

  func close() { lock.withLock { connection = nil } }
}

/// A store's pinned connections. Safe on any thread.
final class PinnedConnections: @unchecked Sendable {
  // `@unchecked Sendable`: `pins` is only touched under `lock`.

  private struct Weak {
    weak var pin: PinnedConnection?
  }

  private let lock = NSLock()
  private var pins: [Weak] = []

  func pin(_ pool: ConnectionPool) throws -> PinnedConnection {
    let pin = try PinnedConnection(pool.ownConnection())
    lock.withLock {
      pins.removeAll { $0.pin == nil }
      pins.append(Weak(pin: pin))
    }
    return pin
  }

  func close() { for pin in lock.withLock({ pins.map(\.pin) }) { pin?.close() } }
}
