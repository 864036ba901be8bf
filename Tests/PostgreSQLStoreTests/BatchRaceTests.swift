import CoreData
import Foundation
import PostgreSQLTestServer
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite("Batch inserts of several processes under one uniqueness constraint", hasServer)
struct BatchRaceTests {
  private func names(_ shelf: Shelf) throws -> [String] {
    try shelf.context.performAndWait {
      shelf.context.reset()
      return try shelf.context.all("Tag", sort: "name").map { $0.value(forKey: "name") as? String ?? "" }
    }
  }

  /// Inserts tags; returns how often the request asked for one. `willAsk` gets the number of those before.
  private func insert(
    _ names: [String], _ shelf: Shelf, willAsk: @escaping (Int) -> Void = { _ in }
  ) throws -> Int {
    try shelf.context.performAndWait {
      shelf.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      var count = 0
      let request = NSBatchInsertRequest(entityName: "Tag") { (row: NSMutableDictionary) in
        willAsk(count)
        count += 1
        guard count <= names.count else { return true }
        row["name"] = names[count - 1]
        return false
      }
      _ = try shelf.context.execute(request)
      return count
    }
  }

  @Test("Two that insert the same values in opposite orders both finish, and each value is there once")
  func oppositeOrders() async throws {
    let server = TestServer.required
    let first = try Shelf(libraryModel())
    let (url, model) = (first.url, libraryModel())
    // More than a portion of each is written before the rest of it is asked for.
    let wanted = (0..<10_000).map { String(format: "t%05d", $0) }
    let halves = Halves()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<2 {
        nonisolated(unsafe) let model = model
        group.addTask {
          let shelf = try Shelf(model, at: url)
          return try self.insert(number == 0 ? wanted : wanted.reversed(), shelf) { count in
            if count != 5000 { return }
            halves.count.withLock { $0 += 1 }
            let waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 2 AND NOT granted"
            for _ in 0..<3000 where halves.count.withLock({ $0 }) < 2 {
              if (try? server.rows(waiting))?.isEmpty == false { break }
              usleep(10_000)
            }
          }
        }
      }
      for try await asked in group { #expect(asked == wanted.count + 1) }
    }
    #expect(try names(first) == wanted)
  }

  /// How many of the requests have written a half.
  private final class Halves: Sendable {
    let count = Mutex(0)
  }

  @Test("One that the server takes back to end a deadlock with a save goes on, and asks for no row twice")
  func deadlockWithSave() throws {
    let server = TestServer.required
    let shelf = try Shelf(libraryModel())
    let other = try shelf.store.pool.ownConnection()
    func insert(_ key: Int, _ name: String) -> String {
      "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) "
        + "SELECT \(key), Z_ENT, 1, '\(name)' FROM Z_PRIMARYKEY WHERE Z_NAME = 'Tag'"
    }
    // The batch waits first, so the server ends it.
    let process = try #require(
      try other.run(
        "BEGIN; SET LOCAL deadlock_timeout = '5s'; \(insert(900_001, "b")); SELECT pg_backend_pid()::text"
      ).text(0, 0))
    let rest = "\(insert(900_002, "a")); SET CONSTRAINTS ALL IMMEDIATE; COMMIT"
    nonisolated(unsafe) let writer = other
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let waiting = "SELECT 1 FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
      for _ in 0..<3000 where (try? server.rows(waiting))?.isEmpty != false { usleep(10_000) }
      _ = try? writer.run(rest)
      isDone.signal()
    }
    let asked = try self.insert(["a", "b"], shelf)
    isDone.wait()
    #expect(asked == 3)
    #expect(try names(shelf) == ["a", "b"])
  }
}
