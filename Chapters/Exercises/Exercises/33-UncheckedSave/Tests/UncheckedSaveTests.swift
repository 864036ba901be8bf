import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("33 An unchecked save", .serialized)
@MainActor struct UncheckedSaveTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
  }

  @Test("A good delivery is in the file, and the journal says so")
  func saved() throws {
    let line = try acceptDelivery(of: ["Emma", "Persuasion"], into: context)
    #expect(line == "2 books saved")
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 2)
  }

  @Test("A delivery with a book without a title is refused, and the error names the property")
  func refused() throws {
    let error = #expect(throws: NSError.self, "the delivery counts as saved, and the file has nothing of it") {
      try acceptDelivery(of: ["Emma", nil], into: context)
    }
    #expect(error?.code == NSValidationMissingMandatoryPropertyError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "title")
  }

  @Test("After a refusal the books wait in the context, and a corrected delivery is saved whole")
  func corrected() throws {
    let error = #expect(throws: NSError.self, "the delivery counts as saved, and the file has nothing of it") {
      try acceptDelivery(of: ["Emma", nil], into: context)
    }
    let book = try #require(error?.userInfo[NSValidationObjectErrorKey] as? Book, "the error names no book")
    book.title = "Persuasion"
    try context.save()
    let saved = try bench.savedCount(of: "Book")
    #expect(saved == 2)
  }
}
