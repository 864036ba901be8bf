import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("54 Give it a default", .serialized)
struct GiveItADefaultTests {
  let bench: Bench

  init() throws {
    bench = try Bench()
    let coordinator = try openLoyaltyStore(at: bench.storeURL, model: LoyaltyModel.one())
    let context = bench.makeContext(coordinator)
    for name in ["Ada", "Grace"] {
      NSEntityDescription.insertNewObject(forEntityName: "Customer", into: context).setValue(name, forKey: "name")
    }
    try context.save()
    try coordinator.remove(coordinator.persistentStores[0])
  }

  @Test("The new attribute is mandatory, and 64 bits wide")
  func mandatory() throws {
    let points = try #require(try LoyaltyModel.two().entitiesByName["Customer"]?.attributesByName["points"])
    #expect(!points.isOptional)
    #expect(points.attributeType == .integer64AttributeType)
  }

  @Test("Customers of the old file have 100 points, and their names")
  func old() throws {
    let context = bench.makeContext(try openLoyaltyStore(at: bench.storeURL, model: try LoyaltyModel.two()))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Customer")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let lines = try context.fetch(request).map { customer in
      "\(customer.value(forKey: "name") ?? "") \(customer.value(forKey: "points") ?? "")"
    }
    #expect(lines == ["Ada 100", "Grace 100"])
  }

  @Test("A new customer starts with 100 points as well")
  func new() throws {
    let context = bench.makeContext(try openLoyaltyStore(at: bench.storeURL, model: try LoyaltyModel.two()))
    let customer = NSEntityDescription.insertNewObject(forEntityName: "Customer", into: context)
    #expect(customer.value(forKey: "points") as? Int == 100)
  }
}
