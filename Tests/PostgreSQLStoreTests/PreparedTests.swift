import CoreData
import Foundation
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("Prepared statements in sessions that a store does not have alone", hasServer)
struct PreparedTests {
  /// Saves an author with a book, in a transaction of several statements, and returns the names of all authors.
  private func work(_ shelf: Shelf) throws -> [String] {
    try shelf.context.performAndWait {
      shelf.context.reset()
      let author = shelf.context.new("Author", ["name": "Kafka"])
      shelf.context.new("Book", ["title": "Amerika", "author": author])
      try shelf.context.save()
      shelf.context.reset()
      let authors = try shelf.context.all("Author", "ANY books.title == 'Amerika'", sort: "name")
      return authors.compactMap { $0.value(forKey: "name") as? String }
    }
  }

  private func newShelf(_ more: [AnyHashable: Any] = [:]) throws -> Shelf {
    let options: [AnyHashable: Any] = [NSPersistentStoreConnectionPoolMaxSizeKey: 1]
    return try Shelf(libraryModel(), options: options.merging(more) { $1 })
  }

  /// The names of the statements that the shelf's connection has prepared.
  private func prepared(_ shelf: Shelf) throws -> [String] {
    try shelf.store.pool.use { connection in
      let rows = try connection.run("SELECT name FROM pg_prepared_statements ORDER BY name")
      return (0..<rows.count).compactMap { rows.text($0, 0) }
    }
  }

  @Test("Where the statements of a connection are ended, saves, fetches and the history go on", arguments: [0, 1, 2])
  func ended(_ first: Int) throws {
    let shelf = try newShelf(tracked)
    #expect(try work(shelf) == ["Kafka"])
    #expect(try !prepared(shelf).isEmpty)
    for command in ["DEALLOCATE ALL", "DISCARD ALL"] {
      try shelf.store.pool.use { _ = try $0.run(command) }
      let count = try shelf.context.performAndWait {
        switch first {
        case 0: return try shelf.context.history(after: nil).count
        case 1: return try shelf.context.all("Author").count
        default: return 1
        }
      }
      #expect(count >= 1)
      #expect(try Set(work(shelf)) == ["Kafka"])
    }
    #expect(try shelf.context.performAndWait { try shelf.context.history(after: nil).count } == 3)
  }

  @Test("A name in a session means the same statement for all programs, and one that is taken is not used")
  func taken() throws {
    let (one, other) = (try newShelf(), try newShelf())
    #expect(try work(one) == ["Kafka"])
    _ = try other.context.performAndWait { try other.context.all("Tag") }
    #expect(try work(other) == ["Kafka"])
    let names = try prepared(one)
    #expect(!names.isEmpty && Set(names).isSubset(of: try prepared(other)))
    for kind in [[:], tracked] {
      let third = try newShelf(kind)
      try third.store.pool.use { connection in
        for name in names {
          if try !isKnown(name, connection) { try connection.run("PREPARE \(name) AS SELECT 1") }
        }
      }
      #expect(try work(third) == ["Kafka"])
    }
  }

  private func isKnown(_ name: String, _ connection: Connection) throws -> Bool {
    try connection.run("SELECT FROM pg_prepared_statements WHERE name = '\(name)'").count > 0
  }

  @Test("A context that is pinned goes on reading its state when the statements of its connection are ended")
  func pinned() throws {
    let shelf = try newShelf()
    #expect(try work(shelf) == ["Kafka"])
    let pin = try PinnedConnection(shelf.store.pool.ownConnection())
    func count() throws -> Int64 { try pin.read { try $0.execute("SELECT count(*) FROM ZAUTHOR").int(0, 0) } }
    #expect(try count() == 1)
    try pin.read { _ = try $0.run("DEALLOCATE ALL") }
    #expect(try work(shelf).count == 2)
    #expect(try count() == 1)
  }
}
