import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("Statements of fetches are kept")
struct FetchCacheTests {
  private let folder = TemporaryFolder()
  private let store: SQLiteStore

  init() throws {
    store = try openStore(catalogueModel(), at: folder.file("Catalogue.sqlite"))
    let author = try store.insert("Author", [["name": .string("A")]])[0]
    try store.insert(
      "Book", (0..<10).map { ["title": .string("T\($0)"), "isbn": .string("\($0)"), "pages": .int(Int64($0))] },
      to: ["author": author.reference])
  }

  /// How many rows each request finds, and how many statements were prepared after the second.
  private func run(
    _ entity: String = "Book", _ count: Int = 20,
    _ change: (NSFetchRequest<NSFetchRequestResult>, Int) throws -> Void
  ) throws -> (found: [Int], prepared: [String]) {
    var found: [Int] = []
    for number in 0..<count {
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
      try change(request, number)
      switch try store.rows(for: FetchDescription(request, store.layouts)) {
      case .rows(let rows): found.append(rows.count)
      case .references(let rows), .objects(let rows, _): found.append(rows.count)
      case .count(let count): found.append(count)
      case .dictionaries(let rows): found.append(rows.count)
      }
      if number == 1 { _ = store.trace!.takePrepared() }
    }
    return (found, store.trace!.takePrepared())
  }

  @Test(
    "The same request with other values prepares nothing",
    arguments: [
      "isbn == %@", "isbn != %@", "isbn == %@ AND pages < 5", "NOT (isbn == %@ OR title == 'x')", "title BEGINSWITH %@",
      "title CONTAINS[cd] %@", "author.name == %@", "ANY tags.name == %@",
      "SUBQUERY(tags, $t, $t.name == %@).@count > 0",
      "isbn IN {%@, 'x'}", "isbn BETWEEN {%@, 'y'}", "isbn ==[c] %@", "title MATCHES %@",
    ])
  func otherValues(_ format: String) throws {
    let (_, prepared) = try run { request, number in
      request.predicate = NSPredicate(format: format, "\(number)")
    }
    #expect(prepared == [])
  }

  @Test("Requests of one shape find what each asks for")
  func results() throws {
    #expect(
      try run { $0.predicate = NSPredicate(format: "pages < %d", $1) }.found
        == Array(0...10) + Array(repeating: 10, count: 9))
    #expect(
      try run("Book", 12) { $0.predicate = NSPredicate(format: "isbn == %@", "\($1)") }.found
        == Array(repeating: 1, count: 10) + [0, 0])
    // Another operator, order, limit, output or entity is another shape.
    let some = NSPredicate(format: "pages > 4")
    func found(_ change: (NSFetchRequest<NSFetchRequestResult>) -> Void = { _ in }) throws -> Int {
      try run("Book", 1) { request, _ in
        request.predicate = some
        change(request)
      }.found[0]
    }
    #expect(try found() == 5)
    #expect(try found { $0.predicate = NSPredicate(format: "pages >= 4") } == 6)
    #expect(try found { $0.predicate = NSPredicate(format: "NOT pages > 4") } == 5)
    #expect(try found { $0.predicate = NSPredicate(format: "pages == nil") } == 0)
    #expect(try found { $0.fetchLimit = 2 } == 2)
    #expect(try found { $0.fetchOffset = 2 } == 3)
    #expect(try found { $0.resultType = .countResultType } == 5)
    #expect(try found { $0.resultType = .managedObjectIDResultType } == 5)
    #expect(try found { $0.predicate = nil } == 10)
    #expect(
      try found {
        $0.predicate = nil
        $0.fetchLimit = 4
      } == 4)
    #expect(
      try found {
        $0.predicate = nil
        $0.fetchOffset = 4
      } == 6)
  }

  @Test("A shape knows the order it was made for")
  func order() throws {
    func first(_ key: String, _ ascending: Bool, _ selector: Selector = "compare:") throws -> Int64 {
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      request.predicate = NSPredicate(format: "pages >= 0")
      request.sortDescriptors = [NSSortDescriptor(key: key, ascending: ascending, selector: selector)]
      guard case .rows(let rows) = try store.rows(for: FetchDescription(request, store.layouts)) else { return 0 }
      return rows[0].key
    }
    for _ in 0..<2 {
      #expect(try first("pages", true) == 1)
      #expect(try first("pages", false) == 10)
      #expect(try first("title", true, "localizedStandardCompare:") == 1)
      #expect(try first("title", false, "localizedStandardCompare:") == 10)
    }
  }

  @Test("Lists of many lengths share few statements")
  func lists() throws {
    let lengths = Array(1...20) + [30, 60, 120, 250, 256, 257, 600, 5000]
    let (found, prepared) = try run("Book", lengths.count) { request, number in
      request.predicate = NSPredicate(format: "pages IN %@", (0..<lengths[number]).map { $0 + 5 })
    }
    #expect(found == lengths.map { min($0, 5) })
    // 3, 4, 8, 16, 32, 64, 128, 256, and one for all that are longer.
    #expect(prepared.count == 9)
  }

  @Test("Faults, members, groups and saved objects prepare nothing the second time")
  func others() throws {
    let book = store.layout("Book")
    let tags = book.property(named: "tags")!
    func round(_ number: Int64) throws {
      _ = try store.faultRow(forKey: number, at: book.places)
      _ = try store.rows(forKeys: Array(1...(number + 8)), in: book)
      _ = try store.members(of: tags, owner: RowReference(entity: book.index, key: number))
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Book")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["title"]
      request.predicate = NSPredicate(format: "pages == %d", number)
      _ = try store.rows(for: FetchDescription(request, store.layouts))
      try store.insert("Tag", [["name": .string("\(number)")]])
    }
    try round(1)
    _ = store.trace!.takePrepared()
    for number in 2...20 { try round(Int64(number)) }
    // Keys are asked for by 1, 8 or 64.
    #expect(store.trace!.takePrepared().filter { !$0.contains("Z_PK IN (?,?,") } == [])
  }
}
