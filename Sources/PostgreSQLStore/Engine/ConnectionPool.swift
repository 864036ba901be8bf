internal import CoreData
import Foundation

/// A store's connections: opened when needed, up to a limit. Safe on any thread.
final class ConnectionPool: @unchecked Sendable {
  // `@unchecked Sendable`: the variables are only touched under `condition`.

  private let limit: Int
  /// The longest wait for a connection, in seconds.
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

  /// The round trips of all finished uses of connections.
  var trips: Int { condition.withLock { finishedTrips } }

  /// Runs `body` with a connection that no one else uses meanwhile.
  func use<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    let connection = try take()
    let before = connection.trips
    defer { give(connection, trips: connection.trips - before) }
    return try body(connection)
  }

  /// Runs a `body` that only reads. If the connection is lost, runs it again on a new one: reading twice does no harm.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    var pause = 0.05
    while true {
      do { return try use(body) } catch let error as ServerError where error.losesSession && pause < 2 {
        Thread.sleep(forTimeInterval: pause)
        pause *= 2
      }
    }
  }

  /// Opens a connection outside the pool, which the caller keeps.
  func ownConnection() throws -> Connection { try open() }

  /// Closes all connections. Those in use are closed when they come back.
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
        condition.broadcast()
      }
      if (error as? ServerError)?.state == "53300", let other = freed(until: deadline) { return other }
      throw error
    }
  }

  /// Waits for one of the connections in use: the server gives no further one. Returns nil if none is in use, or none
  /// comes back in time.
  private func freed(until deadline: Date) -> Connection? {
    condition.withLock {
      while free.isEmpty, count > 0 { if !condition.wait(until: deadline) { break } }
      return free.popLast()
    }
  }

  private func give(_ connection: Connection, trips: Int) {
    if !connection.isBroken { connection.rollback() }
    condition.withLock {
      finishedTrips += trips
      if connection.isBroken {
        // The other connections are most likely broken too.
        count -= 1 + free.count
        free = []
      } else if isClosed || !connection.isIdle || connection.hasStalePlans {
        count -= 1
      } else {
        free.append(connection)
      }
      // Without a connection to take, some may open one, and others learn that none will come back.
      if free.isEmpty { condition.broadcast() } else { condition.signal() }
    }
  }
}
