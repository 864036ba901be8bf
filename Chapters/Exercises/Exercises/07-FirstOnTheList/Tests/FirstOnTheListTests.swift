import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("07 First on the list", .serialized)
@MainActor struct FirstOnTheListTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let list: ReadingList

  /// The list "Emma, Dracula, Villette", saved.
  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    list = ReadingList(context: context)
    list.name = "Summer"
    for title in ["Emma", "Dracula", "Villette"] { list.addToBooks(book(title)) }
    try context.save()
  }

  private func book(_ title: String) -> Book {
    let book = Book(context: context)
    book.title = title
    return book
  }

  private func titles(_ list: ReadingList) -> [String] {
    (list.books?.array as? [Book] ?? []).compactMap(\.title)
  }

  @Test("A new book is the first, and the others follow in their order")
  func new() throws {
    try putFirst(book("Middlemarch"), in: list)
    let titles = titles(list)
    #expect(titles == ["Middlemarch", "Emma", "Dracula", "Villette"])
  }

  @Test("A book that is on the list moves to its top, and is there once")
  func moved() throws {
    let villette = try #require(list.books?.lastObject as? Book)
    try putFirst(villette, in: list)
    let titles = titles(list)
    #expect(titles == ["Villette", "Emma", "Dracula"])
  }

  @Test("The book knows the list: the inverse follows")
  func inverse() throws {
    let book = book("Middlemarch")
    try putFirst(book, in: list)
    #expect(book.lists?.contains(list) == true, "the book is on no list")
  }

  @Test("The order is in the file: a stack that opens it again has it")
  func saved() throws {
    let villette = try #require(list.books?.lastObject as? Book)
    try putFirst(villette, in: list)
    try context.save()
    let reader = bench.makeContext(try bench.makeCoordinator())
    let again = try #require(try reader.fetch(NSFetchRequest<ReadingList>(entityName: "ReadingList")).first)
    let titles = titles(again)
    #expect(titles == ["Villette", "Emma", "Dracula"])
  }
}
