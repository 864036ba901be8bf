import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("08 At least one book", .serialized)
@MainActor struct AtLeastOneBookTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  @Test("A list with a book is saved, and there is nothing to say")
  func saved() throws {
    let list = ReadingList(context: context)
    list.name = "Summer"
    list.addToBooks(Book(context: context))
    let sentence = try saveLists(context)
    #expect(sentence == nil)
    let count = try bench.savedCount(of: "ReadingList")
    #expect(count == 1, "lists in the file")
  }

  @Test("A list without a book is refused, and the user reads why")
  func refused() throws {
    ReadingList(context: context).name = "Winter"
    let sentence = try saveLists(context)
    #expect(sentence == "A reading list needs at least one book.")
    let count = try bench.savedCount(of: "ReadingList")
    #expect(count == 0, "lists in the file")
  }

  @Test("The user may add the book then, and save again")
  func addedLater() throws {
    let list = ReadingList(context: context)
    _ = try saveLists(context)
    list.addToBooks(Book(context: context))
    let sentence = try saveLists(context)
    #expect(sentence == nil)
  }

  @Test("Another error goes to the caller: a book without a title has nothing to do with lists")
  func another() throws {
    Book(context: context).title = nil
    let error = #expect(throws: NSError.self, "a book without a title, and nothing is thrown") {
      try saveLists(context)
    }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
  }
}
