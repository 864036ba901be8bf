import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("60 Sections by key", .serialized)
struct SectionsByKeyTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    var authors: [String: Author] = [:]
    let shelf = [
      ("Persuasion", "Jane Austen"), ("Adam Bede", "George Eliot"), ("Emma", "Jane Austen"), ("Beowulf", ""),
      ("Middlemarch", "George Eliot"),
    ]
    for (title, name) in shelf {
      let book = Book(context: context)
      book.title = title
      if !name.isEmpty {
        let author = authors[name] ?? Author(context: context)
        author.name = name
        authors[name] = author
        book.author = author
      }
    }
    try context.save()
  }

  /// Each section as `name: titles`.
  private func sections() throws -> [String] {
    let controller = try booksByAuthor(in: context)
    return try #require(controller.sections).map { section in
      let titles = (section.objects ?? []).map { ($0 as? Book)?.title ?? "" }
      return "\(section.name): \(titles.joined(separator: ", "))"
    }
  }

  @Test("Each author has one section, with their books by title; a book of no author is in none")
  func shelves() throws {
    let found = try sections()
    #expect(found == ["George Eliot: Adam Bede, Middlemarch", "Jane Austen: Emma, Persuasion"])
  }

  @Test("A new book goes to the section of its author")
  func newBook() throws {
    let controller = try booksByAuthor(in: context)
    let delegate = ListensOnly()
    controller.delegate = delegate
    let book = Book(context: context)
    book.title = "Mansfield Park"
    book.author = try context.fetch(NSFetchRequest<Author>(entityName: "Author")).first { $0.name == "Jane Austen" }
    context.processPendingChanges()
    #expect(controller.indexPath(forObject: book) == IndexPath(item: 1, section: 1))
    withExtendedLifetime(delegate) {}
  }
}

/// With a delegate, a controller follows its context.
private final class ListensOnly: NSObject, NSFetchedResultsControllerDelegate {}
