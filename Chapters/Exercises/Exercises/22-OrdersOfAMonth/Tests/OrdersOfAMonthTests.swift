import CoreData
import ExerciseSupport
import Foundation
import Testing

@testable import Exercises

@Suite("22 The orders of a month", .serialized)
@MainActor struct OrdersOfAMonthTests {
  let bench: Bench
  let context: NSManagedObjectContext

  static func calendar(_ zone: String) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = TimeZone(identifier: zone)!
    return calendar
  }

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    for (customer, placed) in [
      ("in January", "2026-01-31T23:59:59Z"), ("the first moment", "2026-02-01T00:00:00Z"),
      ("the last second", "2026-02-28T23:59:59Z"), ("March", "2026-03-01T00:00:00Z"),
      ("a year ago", "2025-02-10T12:00:00Z"),
    ] {
      let order = Order(context: context)
      (order.customer, order.placed) = (customer, try Date(placed, strategy: .iso8601))
    }
    Order(context: context).customer = "never"
    try context.save()
  }

  private func customers(_ zone: String) throws -> [String] {
    try orders(inMonth: 2, of: 2026, by: Self.calendar(zone), in: context).compactMap(\.customer)
  }

  @Test("The month's first moment and its last second belong to it, and they come in order")
  func month() throws {
    let found = try customers("UTC")
    #expect(found.prefix(2) == ["the first moment", "the last second"])
  }

  @Test("The first moment of March isn't in February")
  func next() throws {
    let found = try customers("UTC")
    #expect(!found.contains("March"), "found: \(found)")
  }

  @Test("In Sydney February begins and ends eleven hours earlier")
  func elsewhere() throws {
    let found = try customers("Australia/Sydney")
    #expect(found == ["in January", "the first moment"])
  }

  @Test("The store does the looking: no other order becomes an object")
  func noOthers() throws {
    let calendar = Self.calendar("UTC")
    let made = try bench.objects(of: "Order") { _ = try orders(inMonth: 2, of: 2026, by: calendar, in: $0) }
    #expect(made == 2, "\(made) objects were made for 2 orders")
  }
}
