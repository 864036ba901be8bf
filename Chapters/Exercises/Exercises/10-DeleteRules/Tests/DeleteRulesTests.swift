import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("10 Delete rules", .serialized)
@MainActor struct DeleteRulesTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let customer: NSManagedObject
  let purchase: NSManagedObject
  let line: NSManagedObject

  /// A customer with a purchase of two lines, saved.
  init() throws {
    bench = try Bench()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try PurchaseModel().model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    let context = bench.makeContext(coordinator)
    func make(_ name: String) -> NSManagedObject {
      NSEntityDescription.insertNewObject(forEntityName: name, into: context)
    }
    self.context = context
    (customer, purchase, line) = (make("Customer"), make("Purchase"), make("Line"))
    purchase.setValue(customer, forKey: "customer")
    line.setValue(purchase, forKey: "purchase")
    make("Line").setValue(purchase, forKey: "purchase")
    try context.save()
  }

  /// How many customers, purchases and lines are in the file.
  private func counts() throws -> [Int] {
    try ["Customer", "Purchase", "Line"].map {
      let request = NSFetchRequest<NSManagedObject>(entityName: $0)
      request.includesPendingChanges = false
      return try context.count(for: request)
    }
  }

  @Test("A deleted purchase takes its lines with it, and leaves its customer")
  func purchaseDeleted() throws {
    context.delete(purchase)
    try context.save()
    let counts = try counts()
    #expect(counts == [1, 0, 0], "customers, purchases and lines")
  }

  @Test("A deleted line leaves its purchase, which has one line less")
  func lineDeleted() throws {
    context.delete(line)
    try context.save()
    let counts = try counts()
    #expect(counts == [1, 1, 1], "customers, purchases and lines")
    #expect((purchase.value(forKey: "lines") as? NSSet)?.count == 1)
  }

  @Test("A customer with purchases can't be deleted: the save says so, and names the relationship")
  func customerDeleted() throws {
    context.delete(customer)
    let error = #expect(throws: NSError.self, "a customer was deleted that has purchases") { try context.save() }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "purchases")
  }
}
