import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

/// A till that is interrupted: another one sells a copy when this one is about to save for the first time.
private final class InterruptedTill: NSManagedObjectContext, @unchecked Sendable {
  // `@unchecked Sendable`: the test uses it on the main queue alone.
  var sale: (() throws -> Void)?

  override func save() throws {
    let other = sale
    sale = nil
    try other?()
    try super.save()
  }
}

@MainActor @Suite("44 The lost update", .serialized)
struct LostUpdateTests {
  let bench: Bench
  /// Two tills of one program, and one of another program.
  let tills: [NSManagedObjectContext]
  let books: [Book]

  init() throws {
    bench = try Bench()
    let coordinator = try bench.makeCoordinator()
    let otherProgram = try bench.makeCoordinator()
    tills = [
      bench.makeContext(coordinator), bench.makeContext(coordinator), bench.makeContext(otherProgram),
    ]
    let book = Book(context: tills[0])
    (book.title, book.price, book.stock) = ("Emma", 8, 5)
    try tills[0].save()
    // Each till has read the book, so each thinks that there are five.
    books = try tills.map { till in
      let book = try #require(try till.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
      #expect(book.stock == 5)
      return book
    }
  }

  /// What a stack of its own finds in the file.
  private func saved() throws -> String {
    let context = bench.makeContext(try bench.makeCoordinator())
    return try withExtendedLifetime(context) {
      let book = try #require(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
      return "\(book.stock) copies at \(book.price)"
    }
  }

  @Test("One till alone sells one copy")
  func alone() throws {
    try sellCopy(of: books[0], in: tills[0])
    let found = try saved()
    #expect(found == "4 copies at 8")
  }

  @Test("Three tills sell three copies, though each has read five")
  func together() throws {
    for (book, till) in zip(books, tills) { try sellCopy(of: book, in: till) }
    let found = try saved()
    #expect(found == "2 copies at 8")
  }

  @Test("A copy that another till sells between the look at the stock and the save is not lost")
  func lastMoment() throws {
    let till = InterruptedTill(concurrencyType: .mainQueueConcurrencyType)
    till.persistentStoreCoordinator = tills[0].persistentStoreCoordinator
    let book = try #require(try till.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
    let (otherTill, otherBook) = (tills[0], books[0])
    till.sale = { try sellCopy(of: otherBook, in: otherTill) }
    try sellCopy(of: book, in: till)
    let found = try saved()
    #expect(found == "3 copies at 8", "two tills have sold one copy each")
  }

  @Test("A sale does not take back a price that was changed elsewhere")
  func price() throws {
    books[0].price = 9
    try tills[0].save()
    try sellCopy(of: books[1], in: tills[1])
    let found = try saved()
    #expect(found == "4 copies at 9")
  }

  @Test("An error other than a conflict reaches the caller")
  func otherError() throws {
    books[0].title = nil
    #expect(throws: (any Error).self, "a book without a title can't be saved") {
      try sellCopy(of: books[0], in: tills[0])
    }
  }
}
