internal import CoreData
import Foundation

/// A connection that stands in a transaction which sees what was committed when it began, and nothing later. It is of
/// no pool: it lasts as long as somebody reads that state. Any thread.
///
/// Meanwhile the server keeps every older version of a row that this transaction might read.
final class PinnedConnection: @unchecked Sendable {
  // `@unchecked Sendable`: `connection` is only touched under `lock`.

  private let lock = NSLock()
  private var connection: Connection?

  init(_ connection: Connection) throws {
    // The first question settles what is seen. An error takes the transaction back to where it has read nothing.
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
        throw error
      }
    }
  }

  func close() { lock.withLock { connection = nil } }
}

/// A store's pinned connections. Any thread.
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
