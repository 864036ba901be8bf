import BuiltPrograms
import CoreData
import Foundation
import Inspection
import PostgreSQLTestServer
import Testing

@testable import PostgreSQLStore

@Suite("Looking into a PostgreSQL store", hasServer)
struct InspectionTests {
  private func filled() throws -> URL {
    let shelf = try Shelf(libraryModel())
    shelf.store.metadata = ["owner": "Ann"]
    try shelf.context.performAndWait {
      let author = shelf.context.new("Author", ["name": "Ann"])
      for number in 0..<4 {
        shelf.context.new(number == 3 ? "Novel" : "Book", ["title": "b\(number)", "pages": number, "author": author])
      }
      try shelf.context.save()
    }
    return shelf.url
  }

  /// What `inspect` prints, and its errors, one after the other.
  private func run(_ arguments: String...) throws -> (code: Int32, text: String) {
    let process = Process()
    process.executableURL = try #require(BuiltProgram.url("inspect"))
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test("inspect describes the store by the model that it keeps: entities, rows, hashes and metadata")
  func description() throws {
    let url = try filled()
    let found = try run(url.absoluteString)
    #expect(found.code == 0)
    for piece in [
      "PostgreSQL", "the one that the database keeps", "agree, entity by entity", "owner", "Ann", "Novel",
    ] {
      #expect(found.text.contains(piece), "\(piece)")
    }
    #expect(!found.text.contains("What the model does not explain"))
    let file = try StoreFile(kind: .postgreSQLStore, url: url)
    let json = try StoreReport(file).json.text
    let report = try JSONSerialization.jsonObject(with: Data(json.utf8)) as! [String: Any]
    #expect(report["hashesAgree"] as? Bool == true)
    let entities = report["entities"] as! [[String: Any]]
    #expect(entities.compactMap { $0["name"] as? String }.sorted() == ["Author", "Book", "Counter", "Novel", "Tag"])
  }

  @Test("It lists objects that meet a condition, in an order, up to a limit, as a table and as JSON")
  func objects() throws {
    let url = try filled().absoluteString
    let table = try run(url, "--entity", "Book", "--where", "pages > 0", "--sort", "-title", "--limit", "2")
    #expect(table.code == 0)
    #expect(table.text.contains("2 of 3 objects"))
    let (first, second) = (table.text.range(of: "b3"), table.text.range(of: "b2"))
    #expect(first != nil && second != nil && first!.lowerBound < second!.lowerBound)
    #expect(!table.text.contains("b1"))
    let json = try run(url, "--entity", "Author", "--json")
    let list = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as! [String: Any]
    #expect((list["objects"] as? [Any])?.count == 1)
    let wrong = try run(url, "--entity", "Boook")
    #expect(wrong.code == 1)
    #expect(wrong.text.contains("has no entity Boook"))
  }

  @Test("Tables and columns that the model does not explain are named")
  func unexplained() throws {
    let url = try filled()
    let shelf = try Shelf(libraryModel(), at: url)
    try shelf.store.pool.use {
      _ = try $0.run("CREATE TABLE notes (a int); ALTER TABLE ztag ADD COLUMN colour text")
    }
    let found = try run(url.absoluteString)
    #expect(found.text.contains("table NOTES, 0 rows"))
    #expect(found.text.contains("column COLOUR of ZTAG"))
  }

  @Test("It tells the history in figures, and lists its newest transactions with what they changed")
  func history() throws {
    let model = libraryModel()
    model.entitiesByName["Book"]?.attributesByName["title"]?.preservesValueInHistoryOnDeletion = true
    let shelf = try Shelf(model, options: tracked)
    try shelf.context.performAndWait {
      shelf.context.transactionAuthor = "Ann"
      let book = shelf.context.new("Book", ["title": "Solaris", "pages": 7])
      try shelf.context.save()
      book.setValue(8, forKey: "pages")
      try shelf.context.save()
      shelf.context.delete(book)
      try shelf.context.save()
    }
    let report = try run(shelf.url.absoluteString)
    #expect(report.text.contains("3: 1 inserted, 1 updated, 1 deleted"), "\(report.text)")
    #expect(!report.text.contains("What the model does not explain"), "\(report.text)")
    let list = try run(shelf.url.absoluteString, "--history", "--limit", "2")
    #expect(list.code == 0, "\(list.text)")
    #expect(!list.text.contains("Transaction 1 "))
    #expect(list.text.contains("Transaction 2 ") && list.text.contains("author Ann"))
    for line in [
      "  updated  Book/p1  pages", "  deleted  Book/p1  title = \"Solaris\"", "1 earlier transaction left out",
    ] {
      #expect(list.text.contains(line), "\(line) in \(list.text)")
    }
    let json = try run(shelf.url.absoluteString, "--history", "--json")
    let all = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as! [String: Any]
    #expect((all["transactions"] as? [Any])?.count == 3)
  }

  @Test("A store without a history says so")
  func noHistory() throws {
    let found = try run(try filled().absoluteString, "--history")
    #expect(found.code == 1)
    #expect(found.text.contains("keeps no history"), "\(found.text)")
  }

  @Test("A password is never shown, in reports or in errors")
  func password() throws {
    let url = try filled()
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)!
    parts.queryItems!.append(URLQueryItem(name: "password", value: "secret9"))
    for arguments in [["--json"], ["--entity", "Book"], ["--entity", "Boook"], ["--history"], ["--check"]] {
      let process = try run(parts.string!, arguments[0], arguments.count > 1 ? arguments[1] : "--json")
      #expect(!process.text.contains("secret9"), "\(arguments)")
    }
  }

  @Test("A server that is away, and a database without a store, are errors that say so")
  func errors() throws {
    let away = try run("postgresql:///postgres?host=/nowhere&user=mary&password=secret9")
    #expect(away.code == 1)
    #expect(away.text.contains("/nowhere"))
    #expect(!away.text.contains("secret9"))
    let empty = try run(TestServer.shared!.newStoreURL().absoluteString)
    #expect(empty.code == 1)
    #expect(empty.text.contains("Z_METADATA"))
  }
}
