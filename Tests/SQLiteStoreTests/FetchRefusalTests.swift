import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("What the SQLite store refuses")
struct FetchRefusalTests {
  private let folder = TemporaryFolder()
  private let store: SQLiteStore

  init() throws {
    store = try openStore(libraryModel(), at: folder.file("Library.sqlite"))
  }

  /// The words of the refusal.
  private func words(
    _ entity: String, _ change: (NSFetchRequest<NSFetchRequestResult>) throws -> Void
  ) -> String? {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    do {
      try change(request)
      _ = try store.rows(for: FetchDescription(request, store.layouts))
      return nil
    } catch let failure as Failure {
      return failure.description
    } catch {
      return (error as NSError).localizedFailureReason ?? (error as NSError).localizedDescription
    }
  }

  @Test(
    "A predicate that SQLite can't say is refused, and the part is named",
    arguments: [
      ("Author", "nope == 1", "keypath nope not found in entity Author"),
      ("Author", "mentor.nope == 1", "keypath mentor.nope not found in entity Author"),
      ("Author", "ANY books.nope == 1", "nope"),
      ("Author", "name.first == 'x'", "keypath name.first not found in entity Author"),
      ("Author", "self.entity.name == 'Author'", "entity.name"),
      ("Tag", "mood == 'x'", "keypath mood not found in entity Tag"),
      ("Book", "ANY tags.mood == 'x'", "mood"),
      ("Author", "ALL books.pages > 1", "Unsupported predicate: the modifier ALL"),
      ("Author", "ANYKEY == 'x'", "ANYKEY"),
      ("Author", "ANY books UNION pupils == nil", "UNION"),
      ("Author", "(books INTERSECT pupils).@count > 0", "INTERSECT"),
      ("Author", "(books MINUS pupils).@count == 0", "MINUS"),
      ("Author", "median:(books.pages) > 1", "Unsupported function expression median:"),
      ("Author", "mode:(books.pages) > 1", "Unsupported function expression mode:"),
      ("Author", "stddev:(books.pages) > 1", "Unsupported function expression stddev:"),
      ("Book", "pages > random()", "Unsupported function expression random"),
      ("Book", "pages > randomn:(6)", "Unsupported function expression randomn:"),
      ("Book", "FUNCTION(pages, 'isPrime:', 1) == 1", "Unsupported function expression FUNCTION(…, \"isPrime:\")"),
      ("Author", "name == books.title", "to-many key path on the right"),
      ("Author", "name BEGINSWITH books.title", "to-many key path on the right"),
      ("Author", "ANY books.title == pupils.name", "to-many key path on both sides"),
      ("Author", "name IN {key, 'x'}", "keypath key not found"),
      ("Author", "name IN {mentor.name, 'x'}", "members that are not constants"),
      ("Author", "born BETWEEN {mentor.born, 5}", "members that are not constants"),
      ("Author", "name MATCHES '['", "regular expression"), ("Author", "name MATCHES 'a)|(?:b'", "regular expression"),
      ("Author", "books.@sum == 1", "@sum of objects"),
      ("Author", "books.tags.@count > 1", "two to-many"),
      ("Author", "books.@median.pages > 1", "@median"),
      ("Author", "books[0] == nil", "An index"),
      ("Author", "mentor BEGINSWITH 'a'", "text operator on a relationship"),
      ("Author", "CAST(name, 'Robot') == 1", "CAST to Robot"),
      ("Author", "name == $who", "$who"),
      ("Book", "pages == {1, 2}", "with a collection"),
    ])
  func predicates(_ entity: String, _ format: String, _ expected: String) throws {
    let words = words(entity) { $0.predicate = try NSPredicate.parsing(format) }
    #expect(words?.contains(expected) == true, "\(words ?? "accepted")")
  }

  @Test("Blocks and operators of the program's own are refused by name")
  func code() {
    let block = words("Author") { $0.predicate = NSPredicate(block: { _, _ in true }) }
    #expect(block?.contains("Problem with subpredicate BLOCKPREDICATE") == true, "\(block ?? "accepted")")
    #expect(block?.contains("fetch by the other conditions, and filter the array") == true)
    let part = words("Author") {
      $0.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
        NSPredicate(value: true), NSPredicate(block: { _, _ in true }),
      ])
    }
    #expect(part?.contains("BLOCKPREDICATE") == true, "\(part ?? "accepted")")
    let selector = words("Author") {
      $0.predicate = NSComparisonPredicate(
        leftExpression: FoundationExpression(forKeyPath: "name"),
        rightExpression: FoundationExpression(forConstantValue: "x"),
        customSelector: "soundsLike:")
    }
    #expect(selector?.contains("soundsLike:") == true, "\(selector ?? "accepted")")
  }

  @Test("A function with too few arguments, put together by a program, is refused by name")
  func arguments() {
    let pages = FoundationExpression(forKeyPath: "pages")
    let sum = FoundationExpression(forFunction: "add:to:", arguments: [pages])
    let predicate = NSComparisonPredicate(
      leftExpression: sum, rightExpression: pages, modifier: .direct, type: .equalTo)
    let words = words("Book") { $0.predicate = predicate }
    #expect(words?.contains("function expression add:to: with 1 arguments") == true, "\(words ?? "accepted")")
  }

  @Test("An order that SQLite can't have is refused by name")
  func orders() {
    func words(_ entity: String, _ descriptor: NSSortDescriptor) -> String {
      self.words(entity) { $0.sortDescriptors = [descriptor] } ?? "accepted"
    }
    #expect(words("Author", NSSortDescriptor(key: "books", ascending: true)).contains("to-many key not allowed here"))
    #expect(
      words("Author", NSSortDescriptor(key: "books.title", ascending: true)).contains("to-many key not allowed here"))
    #expect(words("Author", NSSortDescriptor(key: "books.@count", ascending: true)).contains("books.@count"))
    #expect(
      words("Tag", NSSortDescriptor(key: "mood", ascending: true)).contains("keypath mood not found in entity Tag"))
    #expect(
      words("Author", NSSortDescriptor(key: "nope", ascending: true)).contains(
        "keypath nope not found in entity Author"))
    #expect(
      words("Author", NSSortDescriptor(key: "name", ascending: true, selector: "compareByAge:"))
        .contains("unsupported NSSortDescriptor selector: compareByAge:"))
    #expect(
      words("Author", NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame })
        .contains(
          "unsupported NSSortDescriptor (comparator blocks are not supported): fetch without it, and sort the array"))
  }

  @Test("A refused fetch runs no statement")
  func nothingRuns() {
    _ = store.trace!.takeRecorded()
    _ = words("Author") { $0.predicate = NSPredicate(format: "ALL books.pages > 1") }
    #expect(store.trace!.takeRecorded() == [])
  }
}
