import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@testable import LibraryCatalogChapter

@Suite("Chapter 6: the library", .serialized)
@MainActor
struct LibraryCatalogTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent(LibraryStack.storeName)
  }

  nonisolated static let shipped = packageRoot.appendingPathComponent(
    "Chapters/06-LibraryCatalog/catalog.json")

  /// The rows of books, authors and subjects, with their versions, read from the file.
  private func contents() throws -> [[StoreFileValue]] {
    let reader = try StoreFileReader(contentsOf: url)
    return try reader.rows(
      "SELECT Z_PK, Z_OPT, ZCATALOGKEY, ZTITLE, ZAUTHORLINE, ZFIRSTPUBLISHED FROM ZBOOK ORDER BY 1")
      + reader.rows("SELECT Z_PK, Z_OPT, ZNAME FROM ZAUTHOR ORDER BY 1")
      + reader.rows("SELECT Z_PK, Z_OPT, ZNAME FROM ZSUBJECT ORDER BY 1")
  }

  private func importing(
    _ files: [URL], strict: Bool = false, batchSize: Int = 500,
    onBadRecord: (CatalogImporter.BadRecord) -> Void = { _ in }
  ) throws -> CatalogImporter.Report {
    let stack = try LibraryStack(folder: folder.url)
    defer { try? stack.close() }
    return try CatalogImporter(container: stack.container, batchSize: batchSize)
      .importFiles(files, strict: strict, onBadRecord: onBadRecord)
  }

  @Test("Importing puts every book into the file once, with its authors and subjects")
  func importOnce() throws {
    let report = try importing([Self.shipped])
    #expect(report.read == report.added && report.bad == 0 && report.added >= 300)
    let reader = try StoreFileReader(contentsOf: url)
    let statistics = try JSONListDataSource(url: Self.shipped).statistics()
    #expect(try reader.rowCount(of: "ZBOOK") == statistics.books)
    #expect(try reader.rowCount(of: "ZAUTHOR") == statistics.authors)
    #expect(try reader.rowCount(of: "ZSUBJECT") == statistics.subjects)
  }

  @Test("Importing twice changes nothing", arguments: [7, 500])
  func importTwice(batchSize: Int) throws {
    _ = try importing([Self.shipped], batchSize: batchSize)
    let before = try contents()
    let report = try importing([Self.shipped], batchSize: batchSize)
    #expect(report.added == 0 && report.alreadyThere == report.read)
    #expect(try contents() == before)
  }

  @Test("A book that a file has twice goes in once, also across batches", arguments: [1, 2, 10])
  func twiceInOneFile(batchSize: Int) throws {
    let file = try folder.file(
      "c.json",
      #"[{"title": "A", "isbn": "9780306406157"}, {"title": "B"}, {"title": "C", "isbn": "0-306-40615-2"}]"#
    )
    let report = try importing([file], batchSize: batchSize)
    #expect(report == CatalogImporter.Report(read: 3, added: 2, alreadyThere: 1, bad: 0))
    let titles = try StoreFileReader(contentsOf: url).rows("SELECT ZTITLE FROM ZBOOK ORDER BY ZTITLE")
    #expect(titles == [[.text("A")], [.text("B")]])
  }

  nonisolated static let mixed = """
    [
      {"title": "Good", "isbn": "9780306406157"},
      {"title": "Bad check", "isbn": "9780306406158"},
      {"author": "Nobody"},
      {"title": broken},
      {"title": "Good too"}
    ]
    """

  @Test("Bad records are reported with their place and reason, and the good ones go in")
  func badRecords() throws {
    let file = try folder.file("mixed.json", Self.mixed)
    var bad: [CatalogImporter.BadRecord] = []
    let report = try importing([file]) { bad.append($0) }
    #expect(report == CatalogImporter.Report(read: 5, added: 2, alreadyThere: 0, bad: 3))
    #expect(bad.map(\.number) == [2, 3, 4])
    #expect(bad.map(\.line) == [3, 4, 5])
    #expect(
      bad.map(\.reason) == [
        "the ISBN 9780306406158 has a wrong check digit", "it has no title",
        "it is not well-formed JSON: invalid value on line 5, near {\"title\": broken}",
      ])
    #expect(bad.allSatisfy { $0.sentence.contains(file.path) })
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZBOOK") == 2)
  }

  @Test("A strict import with a bad record leaves the library as it was", arguments: [1, 500])
  func strict(batchSize: Int) throws {
    _ = try importing([Self.shipped])
    let before = try contents()
    let good = try folder.file("good.json", #"[{"title": "New", "authors": ["Somebody"]}]"#)
    let mixed = try folder.file("mixed.json", Self.mixed)
    let error = try #require(throws: CatalogImporter.BadRecord.self) {
      try importing([good, mixed], strict: true, batchSize: batchSize)
    }
    #expect(error.number == 2 && error.file == mixed)
    #expect(try contents() == before)
  }

  @Test("A strict import of good files saves them all at once")
  func strictGood() throws {
    let report = try importing([Self.shipped], strict: true, batchSize: 50)
    let strict = try contents().map { Array($0.dropFirst()) }
    #expect(report.added == report.read)
    try FileManager.default.removeItem(at: folder.url)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
    _ = try importing([Self.shipped])
    let lenient = try contents().map { Array($0.dropFirst()) }
    #expect(Set(strict.map(\.description)) == Set(lenient.map(\.description)))
  }

  @Test("Without a look-up the constraints refuse what is there, and name it")
  func refused() throws {
    let stack = try LibraryStack(folder: folder.url)
    defer { try? stack.close() }
    let file = try folder.file("c.json", #"[{"title": "A", "authors": ["B"], "isbn": "9780306406157"}]"#)
    let importer = CatalogImporter(container: stack.container, duplicates: .refuse)
    let error = try #require(throws: CatalogImporter.Stopped.self) { try importer.importFiles([file, file]) }
    #expect(error.report.added == 1)
    let breaches = ConstraintBreach.all(in: error.underlying)
    #expect(breaches.map(\.constraint) == ["Author.name", "Book.catalogKey", "Book.isbn"])
    #expect(breaches.allSatisfy { $0.isStored })
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZBOOK") == 1)
  }

  @Test("Without a look-up a policy merges what is there, and the rows are as many as with it")
  func merged() throws {
    let stack = try LibraryStack(folder: folder.url)
    defer { try? stack.close() }
    let importer = CatalogImporter(container: stack.container, duplicates: .merge)
    _ = try importer.importFiles([Self.shipped, Self.shipped])
    let reader = try StoreFileReader(contentsOf: url)
    let statistics = try JSONListDataSource(url: Self.shipped).statistics()
    #expect(try reader.rowCount(of: "ZBOOK") == statistics.books)
    #expect(try reader.rowCount(of: "ZAUTHOR") == statistics.authors)
    #expect(try reader.rowCount(of: "ZSUBJECT") == statistics.subjects)
  }

  @Test("An error of another kind holds no broken constraint")
  func otherErrors() {
    #expect(ConstraintBreach.all(in: NSError(domain: NSCocoaErrorDomain, code: 259)).isEmpty)
  }

  @Test("Where a file breaks off, what was before it stays, and the error says so")
  func brokenOff() throws {
    let file = try folder.file("off.json", "[{\"title\": \"A\"},\n{\"title\": \"B\"},\n{\"title\": ")
    let error = try #require(throws: CatalogImporter.Stopped.self) { try importing([file]) }
    #expect(error.report.added == 2)
    #expect(error.errorDescription?.contains("off.json, line 3") == true)
    #expect(try StoreFileReader(contentsOf: url).rowCount(of: "ZBOOK") == 2)
  }

  @Test("A JSON file and the library give the same answers")
  func sameAnswers() throws {
    _ = try importing([Self.shipped])
    let stack = try LibraryStack(folder: folder.url)
    let sources: [any ListDataSource] = [
      try JSONListDataSource(url: Self.shipped), CoreDataListDataSource(stack),
    ]
    for text in [
      "", "austen", "SHAKES tragedy", "misérables", "MISERABLES", "no such book", "100", "'s", "%",
    ] {
      for order in BookQuery.Order.allCases {
        for language in [nil, "ru"] {
          let query = BookQuery(text: text, language: language, order: order)
          let lists = try sources.map { try $0.books(matching: query, offset: 0, limit: 1000) }
          #expect(lists[0] == lists[1], "\(query)")
          let counts = try sources.map { try $0.numberOfBooks(matching: query) }
          #expect(counts[0] == counts[1] && counts[0] == lists[0].count, "\(query)")
        }
      }
    }
    for text in [
      "firstPublished < 1800 AND subjects.@count > 1", "ANY authors.name ENDSWITH[cd] 'bronte'", "language == 'ru'",
      "NOT language IN {'en', 'fr'}", "SUBQUERY(authors, $a, $a.books.@count > 3).@count > 0",
      "title LIKE[cd] 'e*' OR firstPublished BETWEEN {1900, 1950}", "authors.@count == 0",
    ] {
      let query = BookQuery(condition: try BookCondition(text))
      let lists = try sources.map { try $0.books(matching: query, offset: 0, limit: 1000) }
      #expect(lists[0] == lists[1] && !lists[0].isEmpty, "\(text)")
      #expect(try sources.map { try $0.numberOfBooks(matching: query) } == [lists[0].count, lists[0].count])
    }
    let windows = try sources.map {
      try $0.books(matching: BookQuery(order: .author), offset: 100, limit: 30)
    }
    #expect(windows[0] == windows[1] && windows[0].count == 30)
    #expect(try sources[0].statistics() == sources[1].statistics())
    let isbn = try #require(windows[0].first?.isbn)
    #expect(try sources[0].book(withKey: isbn.digits) == sources[1].book(withKey: isbn.digits))
    #expect(try sources[1].book(withKey: "no such key") == nil)
    try stack.close()
  }

  @Test("A title with control characters and a byte order mark comes back as it was")
  func invisibleCharacters() throws {
    let title = "A\u{7F}\u{FEFF}\u{9B}\"\u{FEFF}B"
    let record = CatalogRecord(
      title: title, authors: [], firstPublished: nil, language: nil, subjects: [], isbn: nil, uri: nil)
    let line = try CatalogExporter.line(record)
    #expect(try CatalogFields.record(from: JSONSerialization.jsonObject(with: line)).title == title)
  }

  @Test("What is exported can be imported, and changes nothing")
  func roundTrip() throws {
    _ = try importing([Self.shipped])
    let before = try contents()
    let stack = try LibraryStack(folder: folder.url)
    var text = Data()
    let count = try CatalogExporter.export(CoreDataListDataSource(stack)) { text.append($0) }
    try stack.close()
    let file = folder.url.appendingPathComponent("export.json")
    try text.write(to: file)
    let report = try importing([file])
    #expect(report == CatalogImporter.Report(read: count, added: 0, alreadyThere: count, bad: 0))
    #expect(try contents() == before)
    let exported = try JSONListDataSource(url: file).books(matching: BookQuery(), offset: 0, limit: 1000)
    #expect(
      try exported
        == JSONListDataSource(url: Self.shipped).books(matching: BookQuery(), offset: 0, limit: 1000))
  }
}
