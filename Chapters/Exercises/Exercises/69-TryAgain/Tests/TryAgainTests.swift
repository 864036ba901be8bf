import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("69 Try again, but not for ever", .serialized)
struct TryAgainTests {
  let bench: Bench
  let context: NSManagedObjectContext
  /// A coordinator of its own: to the first one it is another machine.
  let elsewhere: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    elsewhere = bench.makeContext(try bench.makeCoordinator())
    let book = Book(context: context)
    (book.title, book.stock) = ("Emma", 10)
    try context.save()
  }

  private func emma(_ context: NSManagedObjectContext) throws -> Book {
    try #require(try context.fetch(NSFetchRequest<Book>(entityName: "Book")).first)
  }

  private func sellElsewhere() throws {
    elsewhere.reset()
    try emma(elsewhere).stock -= 1
    try elsewhere.save()
  }

  private func stored() throws -> Int {
    elsewhere.reset()
    return Int(try emma(elsewhere).stock)
  }

  @Test("Without a conflict the block runs once")
  func once() throws {
    var runs = 0
    try saveAgain(3, in: context) {
      runs += 1
      try emma(context).stock -= 1
    }
    let stock = try stored()
    #expect(runs == 1)
    #expect(stock == 9)
  }

  @Test("A sale on another machine is met by another run, and both sales count")
  func conflict() throws {
    var runs = 0
    try saveAgain(3, in: context) {
      runs += 1
      try emma(context).stock -= 1
      if runs < 3 { try sellElsewhere() }
    }
    let stock = try stored()
    #expect(runs == 3)
    #expect(stock == 7, "10 copies, two sold elsewhere and one here")
  }

  @Test("When every attempt meets a conflict, the caller gets the last one")
  func givesUp() throws {
    var runs = 0
    let error = #expect(throws: NSError.self, "nothing was saved, and the caller has to know") {
      try saveAgain(3, in: context) {
        runs += 1
        try emma(context).stock -= 1
        try sellElsewhere()
      }
    }
    #expect(runs == 3)
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test("An error other than a conflict is not tried again")
  func otherError() throws {
    var runs = 0
    #expect(throws: NSError.self, "a book without a title can't be saved") {
      try saveAgain(3, in: context) {
        runs += 1
        try emma(context).title = nil
      }
    }
    #expect(runs == 1)
  }
}
