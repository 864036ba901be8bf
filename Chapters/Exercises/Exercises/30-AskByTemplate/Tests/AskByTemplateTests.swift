import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("30 Ask by a template", .serialized)
@MainActor struct AskByTemplateTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (title, price, stock) in [("Emma", 8, 2), ("Middlemarch", 14, 1), ("Dracula", 9, 3), ("Beowulf", 5, 0)] {
      let book = Book(context: context)
      (book.title, book.price, book.stock) = (title, Int64(price), Int64(stock))
    }
    try context.save()
  }

  @Test("The template finds the books below a price that are in stock, by title")
  func found() throws {
    let titles = try books("BooksBelow", with: ["PRICE": 10], in: context).compactMap(\.title)
    #expect(titles == ["Dracula", "Emma"])
  }

  @Test("Another price, another answer: the model's own template is as it was")
  func again() throws {
    _ = try books("BooksBelow", with: ["PRICE": 10], in: context)
    let titles = try books("BooksBelow", with: ["PRICE": 100], in: context).compactMap(\.title)
    #expect(titles == ["Dracula", "Emma", "Middlemarch"])
  }

  @Test("A template that the model doesn't have is an error, not an empty list")
  func misspelt() {
    #expect(throws: NoSuchTemplate(name: "BooksBelwo"), "an unknown template, and no such error") {
      try books("BooksBelwo", with: ["PRICE": 10], in: context)
    }
  }
}
