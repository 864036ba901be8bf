import AskingChapter
import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 3: asking", .serialized)
@MainActor
struct AskingTests {
  let folder: TemporaryFolder
  let shelf: Shelf

  init() throws {
    folder = TemporaryFolder()
    shelf = try Shelf(folder: folder.url)
  }

  private func titles(_ predicate: NSPredicate) throws -> [String] {
    let request = Book.fetchRequest()
    request.predicate = predicate
    return try shelf.context.fetch(request).compactMap(\.title).sorted()
  }

  @Test("The shelf is filled once: opened again it has its twelve books, nine authors and five tags")
  func filledOnce() throws {
    try shelf.close()
    let again = try Shelf(folder: folder.url)
    #expect(try again.context.count(for: Book.fetchRequest()) == 12)
    #expect(try again.context.count(for: Author.fetchRequest()) == 9)
    #expect(try again.context.count(for: Tag.fetchRequest()) == 5)
    try again.close()
  }

  @Test("SQLite finds for each question what the predicate finds in memory")
  func agreement() throws {
    let austen = try shelf.author("Jane Austen")
    let books = try shelf.context.fetch(Book.fetchRequest())
    let questions = Questions.answerable + Questions.toOne(austen, books.prefix(2).map(\.objectID))
    for question in questions {
      let inMemory = books.filter { question.predicate.evaluate(with: $0) }.compactMap(\.title).sorted()
      #expect(try titles(question.predicate) == inMemory, "\(question.text)")
    }
  }

  @Test("A reader can check these answers on the table of books")
  func answers() throws {
    let expected = [
      "year == nil": ["Beowulf"],
      "ANY reviews.stars == 5 AND year < 1850": ["Emma", "Frankenstein", "Gulliver's Travels"],
      "tags.@count == 0": ["Middlemarch"],
      "title BEGINSWITH[cd] 'em'": ["Emma", "Émile"],
      "year - author.born < 30": ["Frankenstein", "Wuthering Heights"],
      "SUBQUERY(reviews, $r, $r.stars == 5 AND $r.reviewer == 'Grace').@count > 0": [
        "Gulliver's Travels", "Moby-Dick",
      ],
    ]
    for (format, books) in expected { #expect(try titles(NSPredicate(format: format)) == books, "\(format)") }
  }

  @Test("A value finds the title with an apostrophe, and a typed OR is only a text")
  func typedText() throws {
    let gulliver = "Gulliver's Travels"
    #expect(try titles(Question.called(gulliver).predicate) == [gulliver])
    #expect(try titles(Question.called("x' OR 'a' == 'a").predicate).isEmpty)
    #expect(throws: (any Error).self) { try NSPredicate.parsing("title == '\(gulliver)'") }
  }

  @Test("ALL and a block are refused by name, and nothing is guessed")
  func refusals() throws {
    for (question, word) in [(Questions.all, "ALL"), (Questions.palindrome, "BLOCKPREDICATE")] {
      let error = #expect(throws: NSError.self) { try shelf.context.fetch(question.request) }
      #expect(error?.localizedDescription.contains(word) == true)
    }
  }

  @Test("An empty form asks for everything, each field for less")
  func filter() throws {
    var filter = BookFilter()
    #expect(try titles(filter.predicate).count == 12)
    filter.before = 1850
    #expect(try titles(filter.predicate).count == 7)
    filter.tags = ["gothic", "monster"]
    #expect(try titles(filter.predicate) == ["Frankenstein"])
    filter.words = "emma"
    #expect(try titles(filter.predicate).isEmpty)
  }

  @Test("Pages of three put together are the whole list in its order")
  func pages() throws {
    let whole = try shelf.context.fetch(BookRequests.newestFirst).compactMap(\.title)
    let paged = try (0..<4).flatMap { try shelf.context.fetch(BookRequests.page($0, size: 3)) }
    #expect(paged.compactMap(\.title) == whole)
    #expect(try shelf.context.fetch(BookRequests.page(4, size: 3)).isEmpty)
  }

  @Test("Bytes put Émile last, readers put it before Emma")
  func order() throws {
    let bytes = try shelf.context.fetch(BookRequests.byTitle(localized: false)).compactMap(\.title)
    let readers = try shelf.context.fetch(BookRequests.byTitle(localized: true)).compactMap(\.title)
    #expect(bytes.last == "Émile")
    #expect(readers[2...3] == ["Émile", "Emma"])
  }

  @Test("An asynchronous fetch returns at once, and shows its books later")
  func asynchronous() async throws {
    let context = shelf.context
    nonisolated(unsafe) var isShown = false
    let titles: [String] = try await withCheckedThrowingContinuation { continuation in
      do {
        try BookRequests.read(BookRequests.newestFirst, in: context) { books in
          isShown = true
          continuation.resume(returning: books.compactMap(\.title))
        }
        #expect(!isShown, "the books came before the call had returned")
      } catch {
        continuation.resume(throwing: error)
      }
    }
    #expect(titles.count == 12 && titles.first == "Dracula")
  }

  @Test("Groups count and average what the table says, and only large enough ones remain")
  func groups() throws {
    let rows = try shelf.context.fetch(BookRequests.byAuthor(atLeast: 2))
    #expect(rows.compactMap { $0["author.name"] as? String } == ["Charlotte Brontë", "Jane Austen"])
    #expect(rows.compactMap { $0["pages"] as? Double } == [549, 361.5])
    #expect(try shelf.context.fetch(BookRequests.byAuthor(atLeast: 1)).count == 10)
  }

  @Test("A fetch finds what is not saved, unless it is told not to")
  func unsaved() throws {
    Book(context: shelf.context).title = "The Time Machine"
    let request = Question.called("The Time Machine").request
    #expect(try shelf.context.count(for: request) == 1)
    request.includesPendingChanges = false
    #expect(try shelf.context.count(for: request) == 0)
    #expect(try StoreFileReader(contentsOf: shelf.url).rowCount(of: "ZBOOK") == 12)
  }

  @Test("The program answers a question of the reader's, and says what is wrong with another")
  func program() throws {
    let answer = try ProgramRunner.run("Asking", ["ask", "ANY reviews.stars == 5 AND year < 1850"])
    #expect(answer.exitCode == 0)
    #expect(answer.output.contains("rows 3: Gulliver's Travels, Emma, Frankenstein"))
    #expect(answer.output.contains("t0.ZYEAR < ?"))
    let sorted = try ProgramRunner.run(
      "Asking", ["ask", "--of", "Author", "--sort", "-born", "--limit", "1", "books.@count > 1"])
    #expect(sorted.output.contains("rows 1: Charlotte Brontë"))
    let unknown = try ProgramRunner.run("Asking", ["ask", "yaer < 1850"])
    #expect(unknown.exitCode == 1)
    #expect(unknown.errors.contains(#"Did you mean "year"?"#))
    let malformed = try ProgramRunner.run("Asking", ["ask", "year < AND pages > 100"])
    #expect(malformed.exitCode == 1)
    #expect(malformed.errors.contains("       ^"))
    let entity = try ProgramRunner.run("Asking", ["ask", "--of", "Shelf", "TRUEPREDICATE"])
    #expect(entity.errors.contains("The model has Author, Book, Review, Tag."))
  }

  @Test("The tour counts the statements that prefetching saves")
  func tour() throws {
    let outcome = try ProgramRunner.run("Asking", ["--fresh"], store: folder.url)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errors.isEmpty)
    #expect(outcome.number(after: "their authors' names:") == 10)
    #expect(outcome.number(after: "with the authors prefetched:") == 2)
    #expect(outcome.number(after: "their reviews:") == 13)
  }
}
