internal import CoreData
import Foundation

/// A store's connections: as many as are asked for at a time, up to a limit. Any thread.
final class ConnectionPool: @unchecked Sendable {
  // `@unchecked Sendable`: what changes is only touched under `condition`.

  private let limit: Int
  /// How long somebody waits for a connection, in seconds.
  private let patience: TimeInterval
  private let open: () throws -> Connection
  private let condition = NSCondition()
  private var free: [Connection] = []
  private var count = 0
  private var isClosed = false
  private var finishedTrips = 0

  init(limit: Int, patience: TimeInterval, open: @escaping () throws -> Connection) {
    self.limit = max(limit, 1)
    self.patience = patience
    self.open = open
  }

  /// How often something was sent and an answer waited for, by all connections that nobody uses now.
  var trips: Int { condition.withLock { finishedTrips } }

  /// Runs `body` with a connection that nobody else has meanwhile.
  func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take()
    let before = connection.trips
    defer { give(connection, trips: connection.trips - before) }
    return try body(connection)
  }

  /// The same for what only reads: where the connection was lost it is run again on a new one, since nothing was done
  /// yet that it could do twice.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    var pause = 0.05
    while true {
      do { return try use(body) } catch let error as ServerError where error.isLost && pause < 2 {
        Thread.sleep(forTimeInterval: pause)
        pause *= 2
      }
    }
  }

  /// A connection beside the pool's, which the caller keeps.
  func ownConnection() throws -> Connection { try open() }

  /// Ends all connections, those in use when they come back.
  func close() {
    condition.withLock {
      isClosed = true
      count -= free.count
      free = []
    }
  }

  private func take() throws -> Connection {
    condition.lock()
    let deadline = Date(timeIntervalSinceNow: patience)
    while free.isEmpty && count >= limit {
      if !condition.wait(until: deadline), free.isEmpty, count >= limit {
        condition.unlock()
        throw ServerError(
          state: "53300",
          message: "no connection became free in \(patience) seconds; all \(limit) that the store may have are in use")
      }
    }
    if let connection = free.popLast() {
      condition.unlock()
      return connection
    }
    count += 1
    condition.unlock()
    do { return try open() } catch {
      condition.withLock {
        count -= 1
        condition.signal()
      }
      throw error
    }
  }

  private func give(_ connection: Connection, trips: Int) {
    if !connection.isBroken { connection.rollback() }
    condition.withLock {
      finishedTrips += trips
      if connection.isBroken {
        // What broke this one has broken the others too, most likely.
        count -= 1 + free.count
        free = []
      } else if isClosed || !connection.isIdle {
        count -= 1
      } else {
        free.append(connection)
      }
      condition.signal()
    }
  }
}
