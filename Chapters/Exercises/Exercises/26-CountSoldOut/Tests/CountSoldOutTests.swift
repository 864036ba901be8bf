import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("26 Count, and read nothing", .serialized)
@MainActor struct CountSoldOutTests {
  let bench: Bench
  /// Of a program that has just started: it has no objects.
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let filling = bench.makeContext(try bench.makeCoordinator())
    for stock in [0, 3, 0, 1, 0] { Book(context: filling).stock = Int64(stock) }
    try filling.save()
    context = bench.makeContext(try bench.makeCoordinator())
    context.retainsRegisteredObjects = true
  }

  @Test("Three of five books are sold out")
  func three() throws {
    let count = try countSoldOut(in: context)
    #expect(count == 3)
  }

  @Test("The context has no object afterwards")
  func noObjects() throws {
    _ = try countSoldOut(in: context)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
  }
}
