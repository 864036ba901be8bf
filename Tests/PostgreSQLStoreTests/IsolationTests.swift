import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("A PostgreSQL database whose transactions are serializable unless they say otherwise", hasServer)
struct IsolationTests {
  private func url(_ schema: String) -> URL {
    let option = "&options=-c%20default_transaction_isolation%3Dserializable"
    return TestServer.required.url(schema: schema, more: option)
  }

  @Test("Of coordinators that open a new store at the same time one makes it, and all open it")
  func opening() async throws {
    let (url, model) = (self.url("isolated_opening"), libraryModel())
    try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<4 {
        nonisolated(unsafe) let model = model
        group.addTask { try Shelf(model, at: url).store.metadata[NSStoreUUIDKey] as? String }
      }
      var found: [String?] = []
      for try await uuid in group { found.append(uuid) }
      #expect(found.count == 4)
      #expect(Set(found).count == 1)
    }
  }

  @Test("A save whose answer was lost is found where its commit comes while the store looks it up")
  func mark() throws {
    let server = TestServer.required
    let shelf = try Shelf(libraryModel(), at: self.url("isolated_mark"))
    let abandoned = try shelf.store.pool.ownConnection()
    let mark = try abandoned.nextMark(nil)
    let process = try #require(try abandoned.run("SELECT pg_backend_pid()::text").text(0, 0))
    try abandoned.run(mark.begin)
    nonisolated(unsafe) let other = abandoned
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let waiting = "SELECT 1 FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
      for _ in 0..<3000 where (try? server.rows(waiting))?.isEmpty != false { usleep(10_000) }
      _ = try? other.run("COMMIT")
      isDone.signal()
    }
    let isCommitted = try shelf.store.pool.use { try mark.isCommitted($0, patience: 60) }
    isDone.wait()
    #expect(isCommitted)
  }

  @Test("A read that the server takes back because it met another transaction is run again")
  func reading() throws {
    let shelf = try Shelf(libraryModel(), at: self.url("isolated_reading"))
    try shelf.context.performAndWait {
      shelf.context.new("Author", ["name": "Ann"])
      try shelf.context.save()
      shelf.context.reset()
      shelf.context.stalenessInterval = 0
      _ = try shelf.store.pool.use {
        try $0.run(
          """
          CREATE SEQUENCE tries;
          CREATE FUNCTION collide() RETURNS boolean LANGUAGE plpgsql AS $f$ BEGIN
            IF nextval('tries') < 3 THEN RAISE EXCEPTION 'collided' USING ERRCODE = '40001'; END IF;
            RETURN true; END $f$;
          ALTER TABLE ZAUTHOR RENAME TO authors;
          CREATE VIEW ZAUTHOR AS SELECT * FROM authors WHERE collide()
          """)
      }
      #expect(try shelf.context.all("Author").map { $0.value(forKey: "name") as? String } == ["Ann"])
      #expect(try shelf.store.texts("SELECT last_value FROM tries") == [["3"]])
    }
  }
}
