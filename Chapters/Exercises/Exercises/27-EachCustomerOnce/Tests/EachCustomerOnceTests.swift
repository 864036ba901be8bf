import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("27 Each customer once", .serialized)
@MainActor struct EachCustomerOnceTests {
  let bench: Bench
  /// Of a program that has just started: it has no objects.
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let filling = bench.makeContext(try bench.makeCoordinator())
    for customer in ["Grace", "Ada", nil, "Grace", "Grace", "Barbara", "Ada"] {
      Order(context: filling).customer = customer
    }
    try filling.save()
    context = bench.makeContext(try bench.makeCoordinator())
    context.retainsRegisteredObjects = true
  }

  @Test("Each name comes once, and they are sorted; an order without a customer adds none")
  func names() throws {
    let names = try customers(in: context)
    #expect(names == ["Ada", "Barbara", "Grace"])
  }

  @Test("No order was made into an object")
  func noObjects() throws {
    let names = try customers(in: context)
    #expect(!names.isEmpty)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
  }
}
