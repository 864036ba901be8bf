import CoreData
import Foundation
import PostgreSQLTestServer
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite("Saves whose answer is lost", hasServer, .serialized)
struct LostSaveTests {
  @Test("A lost save that the server still holds on to is looked up no longer than the time-out")
  func heldMark() throws {
    let shelf = try Shelf(libraryModel(), options: [NSPersistentStoreTimeoutOption: 0.2])
    let abandoned = try shelf.store.pool.ownConnection()
    let mark = try abandoned.nextMark(nil)
    try abandoned.run(mark.begin())
    let refused = #expect(throws: ServerError.self) { try shelf.store.isCommitted(mark) }
    #expect(refused?.state == "08007")
    try abandoned.run("COMMIT")
    #expect(try shelf.store.isCommitted(mark))
    // The row is gone.
    #expect(try !shelf.store.isCommitted(mark))
  }

  @Test(
    "A lost save that is committed while it is looked up is found, at whatever isolation level the session begins",
    arguments: ["read%5C%20committed", "repeatable%5C%20read", "serializable"])
  func isolation(_ level: String) throws {
    let server = try #require(TestServer.shared)
    let more = "&options=-c%20default_transaction_isolation%3D\(level)"
    let shelf = try Shelf(libraryModel(), at: server.url(schema: "held\(level.count)", more: more))
    let store = shelf.store
    let abandoned = try store.pool.ownConnection()
    let mark = try abandoned.nextMark(nil)
    try abandoned.run(mark.begin())
    let found = Mutex<Bool?>(nil)
    let isOver = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let isCommitted = try? store.isCommitted(mark)
      found.withLock { $0 = isCommitted }
      isOver.signal()
    }
    let waiting =
      "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%\(mark.writer.uuidString)%'"
    for _ in 0..<500 where try server.rows(waiting).isEmpty { Thread.sleep(forTimeInterval: 0.01) }
    try abandoned.run("COMMIT")
    isOver.wait()
    #expect(found.withLock { $0 } == true)
  }

  @Test("Eight writers of one history wait for each other, at whatever isolation level the session begins")
  func writers() async throws {
    let server = try #require(TestServer.shared)
    let url = server.url(schema: "strict", more: "&options=-c%20default_transaction_isolation%3Dserializable")
    let first = try Shelf(libraryModel(), at: url, options: tracked)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<8 {
        group.addTask {
          let shelf = try Shelf(libraryModel(), at: url, options: tracked)
          try shelf.context.performAndWait {
            for number in 0..<20 {
              shelf.context.new("Author", ["name": "\(writer) \(number)"])
              try shelf.context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let numbers = try first.context.performAndWait { try first.context.history(after: nil).map(\.transactionNumber) }
    #expect(numbers == Array(1...160))
  }

  @Test("A lost save that the server can't be asked for is in one error that names the store, and is not run again")
  func unknownOutcome() throws {
    let server = try #require(TestServer.shared)
    _ = try server.rows("CREATE ROLE careful LOGIN; GRANT CREATE ON DATABASE postgres TO careful")
    let relay = try Relay(to: server)
    let url = try #require(URL(string: relay.url(schema: "careful").absoluteString + "&user=careful"))
    let shelf = try Shelf(libraryModel(), at: url, options: [NSPersistentStoreTimeoutOption: 0.5])
    try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      // As on a standby: new sessions can't write.
      _ = try server.rows("ALTER ROLE careful SET default_transaction_read_only = on")
      counter.setValue(1, forKey: "count")
      relay.cutNext(.beforeAnswer)
      let error = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(relay.hasCut)
      #expect(error?.code == NSPersistentStoreOperationError)
      #expect(error?.userInfo["SQLSTATE"] as? String == "08007", "\(error as Any)")
      let name = try #require(shelf.store.url?.absoluteString)
      #expect(error?.localizedDescription.contains(name) == true, "\(error as Any)")
    }
    #expect(try server.rows("SELECT zcount, z_opt FROM careful.zcounter") == [["1", "2"]])
  }

  @Test("A lost save is asked for again while the server only reads, and is found when it writes again")
  func standby() throws {
    let shelf = try Shelf(libraryModel(), options: [NSPersistentStoreConnectionPoolMaxSizeKey: 1])
    let store = shelf.store
    let lost = try store.pool.ownConnection()
    let mark = try lost.nextMark(nil)
    try lost.run("\(mark.begin()); COMMIT")
    try store.pool.use { _ = try $0.run("SET default_transaction_read_only = on") }
    Thread.detachNewThread {
      usleep(300_000)
      _ = try? store.pool.use { try $0.run("SET default_transaction_read_only = off") }
    }
    #expect(try store.isCommitted(mark))
  }
}
