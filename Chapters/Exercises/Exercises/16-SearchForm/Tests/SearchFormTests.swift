import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("16 A search form", .serialized)
@MainActor struct SearchFormTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (title, price, stock) in [
      ("Emma", 8, 2), ("Émile", 15, 1), ("Dracula", 8, 0), ("Gemma", 20, 0), ("Wolf's Bane", 30, 0),
    ] {
      let book = Book(context: context)
      (book.title, book.price, book.stock) = (title, Int64(price), Int64(stock))
    }
    try context.save()
  }

  private func titles(_ form: SearchForm) throws -> Set<String> {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = try form.predicate()
    return Set(try context.fetch(request).compactMap(\.title))
  }

  @Test("An empty form finds all books")
  func empty() throws {
    let found = try titles(SearchForm())
    #expect(found == ["Emma", "Émile", "Dracula", "Gemma", "Wolf's Bane"])
  }

  @Test("A title finds those that have it in them, whatever the case and the accents")
  func title() throws {
    let found = try titles(SearchForm(title: "em"))
    #expect(found == ["Emma", "Émile", "Gemma"])
  }

  @Test("An apostrophe in a title is a character like any other")
  func apostrophe() throws {
    let found = try titles(SearchForm(title: "f's b"))
    #expect(found == ["Wolf's Bane"])
  }

  @Test("A price includes the books that cost exactly that")
  func price() throws {
    let found = try titles(SearchForm(most: 8))
    #expect(found == ["Emma", "Dracula"])
  }

  @Test("Fields that are filled in must all fit")
  func all() throws {
    let found = try titles(SearchForm(title: "em", most: 15, isInStock: true))
    #expect(found == ["Emma", "Émile"])
  }
}
