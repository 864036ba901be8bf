import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("Saves and the locks of other sessions", hasServer, .serialized)
struct LockTests {
  @Test(
    "A save behind a lock that is not let go of is an error with the table, and is saved later",
    arguments: [false, true], [false, true])
  func held(isOneStatement: Bool, keepsHistory: Bool) throws {
    var options: [AnyHashable: Any] = keepsHistory ? tracked : [:]
    options[NSPersistentStoreTimeoutOption] = 0.5
    let shelf = try Shelf(libraryModel(), options: options)
    try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      let other = try shelf.store.pool.ownConnection()
      try other.run("BEGIN; UPDATE ZCOUNTER SET ZCOUNT = 7")
      counter.setValue(1, forKey: "count")
      if !isOneStatement { shelf.context.new("Author", ["name": "Kafka"]) }
      let error = #expect(throws: NSError.self) { try shelf.context.save() }
      #expect(error?.code == NSPersistentStoreTimeoutError)
      #expect(error?.userInfo["SQLSTATE"] as? String == "55P03")
      #expect(error?.localizedDescription.contains("zcounter") == true, "\(error as Any)")
      try other.run("ROLLBACK")
      try shelf.context.save()
    }
    let again = try shelf.elsewhere()
    let counts = try again.context.performAndWait {
      try again.context.all("Counter").map { $0.value(forKey: "count") as? Int }
    }
    #expect(counts == [1])
  }

  @Test("A batch request behind such a lock is the same error")
  func heldBatch() throws {
    let shelf = try Shelf(libraryModel(), options: [NSPersistentStoreTimeoutOption: 0.5])
    try shelf.context.performAndWait {
      shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      let other = try shelf.store.pool.ownConnection()
      try other.run("BEGIN; UPDATE ZCOUNTER SET ZCOUNT = 7")
      let update = NSBatchUpdateRequest(entityName: "Counter")
      update.propertiesToUpdate = ["count": 2]
      let error = #expect(throws: NSError.self) { _ = try shelf.context.execute(update) }
      #expect(error?.code == NSPersistentStoreTimeoutError, "\(error as Any)")
      try other.run("ROLLBACK")
      _ = try shelf.context.execute(update)
    }
  }

  @Test("Limits that the URL sets come before the store's, and code of the program's takes the time that it takes")
  func limits() throws {
    let server = try #require(TestServer.shared)
    let own = "&options=-c%20lock_timeout%3D70000%20-c%20idle_in_transaction_session_timeout%3D80000"
    let cases = [
      ("limits", "", ["30s", "30s"], ["30s", "0"]), ("own", own, ["70s", "80s"], ["70s", "80s"]),
    ]
    for (schema, more, inSave, inCode) in cases {
      let shelf = try Shelf(libraryModel(), at: server.url(schema: schema, more: more))
      let connection = try shelf.store.pool.ownConnection()
      let mark = try connection.nextMark(nil)
      for (runsCode, expected) in [(false, inSave), (true, inCode)] {
        try connection.run(mark.begin(runsCode: runsCode))
        let found = try ["lock_timeout", "idle_in_transaction_session_timeout"].compactMap {
          try connection.run("SHOW \($0)").text(0, 0)
        }
        #expect(found == expected, "\(schema)")
        try connection.run("ROLLBACK")
      }
      // What is set for a transaction is not left behind.
      #expect(try connection.run("SHOW lock_timeout").text(0, 0) == (more.isEmpty ? "0" : "70s"))
    }
  }

  @Test("A save whose session the server has ended for being idle is run again")
  func idle() throws {
    let shelf = try Shelf(libraryModel(), options: [NSPersistentStoreConnectionPoolMaxSizeKey: 1])
    try shelf.context.performAndWait {
      let counter = shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
      try shelf.store.pool.use { connection in
        // Older servers don't have the setting.
        if connection.version < 140_000 { return }
        try connection.run("SET idle_session_timeout = 50")
        Thread.sleep(forTimeInterval: 0.3)
      }
      counter.setValue(1, forKey: "count")
      try shelf.context.save()
      shelf.context.reset()
      #expect(try shelf.context.all("Counter").map { $0.value(forKey: "count") as? Int } == [1])
    }
  }
}
