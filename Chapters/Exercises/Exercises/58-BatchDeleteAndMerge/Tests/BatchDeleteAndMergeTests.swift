import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("58 Batch delete, and merge", .serialized)
struct BatchDeleteAndMergeTests {
  let bench: Bench
  let reader: NSManagedObjectContext
  let writer: NSManagedObjectContext
  /// What the reader shows: three orders, placed at the seconds 10, 20 and 30 since 2001.
  let orders: [Order]

  init() throws {
    bench = try Bench()
    let coordinator = try bench.makeCoordinator()
    reader = bench.makeContext(coordinator)
    writer = bench.makeContext(coordinator)
    for (customer, time) in [("Ada", 10.0), ("Grace", 20), ("Edsger", 30)] {
      let order = Order(context: reader)
      (order.customer, order.placed) = (customer, Date(timeIntervalSinceReferenceDate: time))
    }
    try reader.save()
    let request = NSFetchRequest<Order>(entityName: "Order")
    request.sortDescriptors = [NSSortDescriptor(key: "placed", ascending: true)]
    orders = try reader.fetch(request)
  }

  private func deleteBefore(_ time: TimeInterval) throws -> Int {
    try deleteOrders(placedBefore: Date(timeIntervalSinceReferenceDate: time), from: writer, tellingOf: reader)
  }

  @Test("The old orders' rows are deleted, the others stay, and you learn how many they were")
  func rows() throws {
    let deleted = try deleteBefore(25)
    #expect(deleted == 2)
    let left = try bench.savedCount(of: "Order")
    #expect(left == 1)
  }

  @Test("The reader has let go of the deleted orders, and still has the other")
  func objects() throws {
    _ = try deleteBefore(25)
    let shown = orders.filter { $0.managedObjectContext == reader && !$0.isDeleted }.map { $0.customer ?? "" }
    #expect(shown == ["Edsger"])
  }

  @Test("No context is saved, and the writer has made no object of a row")
  func belowObjects() throws {
    nonisolated(unsafe) var saves = 0
    var observers: [any NSObjectProtocol] = []
    for context in [reader, writer] {
      let observer = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { _ in saves += 1 }
      observers.append(observer)
    }
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    writer.retainsRegisteredObjects = true
    _ = try deleteBefore(25)
    #expect(saves == 0, "a context was saved, so objects were deleted and not rows")
    #expect(writer.registeredObjects.isEmpty, "\(writer.registeredObjects.count) objects were made")
  }

  @Test("Where there is nothing to delete, nothing changes")
  func none() throws {
    let deleted = try deleteBefore(5)
    #expect(deleted == 0)
    #expect(orders.map { $0.customer ?? "" } == ["Ada", "Grace", "Edsger"])
  }
}
