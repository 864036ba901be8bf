import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("29 Good customers", .serialized)
@MainActor struct GoodCustomersTests {
  let bench: Bench
  /// Of a program that has just started: it has no objects.
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let filling = bench.makeContext(try bench.makeCoordinator())
    let placed: [(String?, Int)] = [
      ("Grace", 4), ("Ada", 10), ("Grace", 4), (nil, 20), ("Alan", 3), ("Grace", 4), ("Ada", 1),
    ]
    for (customer, count) in placed {
      let order = Order(context: filling)
      (order.customer, order.count) = (customer, Int64(count))
    }
    try filling.save()
    context = bench.makeContext(try bench.makeCoordinator())
    context.retainsRegisteredObjects = true
  }

  @Test("Each customer has one line with the sum of all orders, and orders without a customer have none")
  func sums() throws {
    let found = try goodCustomers(atLeast: 0, in: context)
    let expected = [("Ada", 11), ("Alan", 3), ("Grace", 12)].map { CustomerTotal(customer: $0.0, copies: $0.1) }
    #expect(found == expected)
  }

  @Test("A customer with many small orders is a good one, too")
  func chosen() throws {
    let found = try goodCustomers(atLeast: 12, in: context)
    #expect(found == [CustomerTotal(customer: "Grace", copies: 12)])
  }

  @Test("The store does the adding: the context has no object afterwards")
  func noObjects() throws {
    _ = try goodCustomers(atLeast: 5, in: context)
    #expect(context.registeredObjects.isEmpty, "\(context.registeredObjects.count) objects were made")
  }
}
