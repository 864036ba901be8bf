import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

private let hasPooler = ConditionTrait.enabled(
  if: TestServer.shared != nil && Pooler.program != nil, "Install the packages postgresql and pgbouncer.")

@Suite("A PostgreSQL store behind PgBouncer, which gives each transaction another connection", hasPooler, .serialized)
struct PoolerTests {
  private let unprepared: [AnyHashable: Any] = [PostgreSQLPreparedStatementsOption: false]

  private func save(_ name: String, _ shelf: Shelf) throws {
    try shelf.context.performAndWait {
      shelf.context.new("Author", ["name": name])
      try shelf.context.save()
    }
  }

  @Test(
    "It saves, fetches and runs batches, beside a second one, without prepared statements and where they are given up",
    arguments: [false, true])
  func works(_ prepares: Bool) throws {
    let server = try TestServer()
    defer { server.stop() }
    _ = try server.rows("CREATE SCHEMA shelf; ALTER ROLE strata SET search_path = shelf")
    let pooler = try Pooler(to: server)
    let shelves = try (0..<2).map { _ in
      try Shelf(libraryModel(), at: pooler.url(), options: [PostgreSQLPreparedStatementsOption: prepares])
    }
    for number in 0..<3 { for shelf in shelves { try save("\(number)", shelf) } }
    let context = shelves[0].context
    try context.performAndWait {
      let authors = try context.all("Author", sort: "name").map { $0.value(forKey: "name") as? String }
      #expect(authors == ["0", "0", "1", "1", "2", "2"])
      _ = try context.execute(
        NSBatchInsertRequest(entityName: "Author", objects: (0..<1500).map { ["name": "b\($0)"] }))
      let update = NSBatchUpdateRequest(entityName: "Author")
      update.predicate = NSPredicate(format: "name BEGINSWITH 'b'")
      update.propertiesToUpdate = ["name": "changed"]
      _ = try context.execute(update)
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 1506)
    }
    let rows = try server.rows("SELECT count(*) FROM shelf.zauthor WHERE zname = 'changed'")
    #expect(rows == [["1500"]])
  }

  @Test(
    "A schema that PgBouncer would not keep to a session is refused with what to do, and nothing gets into another's tables"
  )
  func schema() throws {
    let server = try TestServer()
    defer { server.stop() }
    for ignored in ["extra_float_digits", "extra_float_digits, options"] {
      let pooler = try Pooler(to: server, ignoring: ignored)
      var refused: NSError?
      do {
        let shelves = try ["a", "b"].map { try Shelf(libraryModel(), at: pooler.url(schema: $0), options: unprepared) }
        for shelf in shelves + shelves { try save("x", shelf) }
      } catch { refused = error as NSError }
      #expect(refused?.code == NSPersistentStoreOpenError, "ignoring \(ignored): \(refused as Any)")
      if ignored.contains("options") {
        #expect(refused?.localizedDescription.contains("search_path") == true, "\(refused as Any)")
      }
    }
  }
}
