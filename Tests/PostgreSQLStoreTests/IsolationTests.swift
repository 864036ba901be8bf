import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("What a PostgreSQL store sees of others' transactions, whatever the default isolation", hasServer)
struct IsolationTests {
  private func url(_ schema: String) -> URL {
    let option = "&options=-c%20default_transaction_isolation%3Dserializable"
    return TestServer.required.url(schema: schema, more: option)
  }

  /// Commits a connection's transaction as soon as another waits for it, on a thread that signals in the end.
  private func commit(_ connection: Connection) throws -> DispatchSemaphore {
    let server = TestServer.required
    let process = try #require(try connection.run("SELECT pg_backend_pid()::text").text(0, 0))
    nonisolated(unsafe) let connection = connection
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let waiting = "SELECT 1 FROM pg_stat_activity WHERE \(process) = ANY (pg_blocking_pids(pid))"
      for _ in 0..<3000 where (try? server.rows(waiting))?.isEmpty != false { usleep(10_000) }
      _ = try? connection.run("COMMIT")
      isDone.signal()
    }
    return isDone
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
    let shelf = try Shelf(libraryModel(), at: self.url("isolated_mark"))
    let abandoned = try shelf.store.pool.ownConnection()
    let mark = try abandoned.nextMark(nil)
    try abandoned.run(mark.begin())
    let isDone = try commit(abandoned)
    let isCommitted = try shelf.store.pool.use { try mark.isCommitted($0, patience: 60) }
    isDone.wait()
    #expect(isCommitted)
  }

  @Test("A store that another process changes while it is opened is opened as it was before, and not half of each")
  func openingMeanwhile() throws {
    let shelf = try Shelf(libraryModel())
    let migration = try shelf.store.pool.ownConnection()
    try migration.run("BEGIN; LOCK TABLE Z_PRIMARYKEY; DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Author'")
    let isDone = try commit(migration)
    let other = try shelf.elsewhere()
    isDone.wait()
    let found = try other.context.performAndWait { try other.context.all("Author").count }
    #expect(found == 0)
    #expect(throws: NSError.self) { _ = try shelf.elsewhere() }
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
