import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("48 Refuse a bad price", .serialized)
@MainActor struct RefuseABadPriceTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SaleItem.model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: bench.storeURL, options: nil)
    context = bench.makeContext(coordinator)
  }

  private func makeItem(cost: Int64, price: Int64) -> SaleItem {
    let item = SaleItem(context: context)
    item.cost = cost
    item.price = price
    return item
  }

  /// What a save is refused with that would write `item`.
  private func refusal(of item: SaleItem) throws -> NSError {
    // Asked directly first: a save bundles what its objects throw.
    do { try item.validateForUpdate() } catch let unfinished as Unfinished { throw unfinished } catch {}
    return try #require(
      throws: (any Error).self, "an item was saved whose price is lower than its cost",
      performing: { try context.save() }) as NSError
  }

  @Test("An item is saved when its price is its cost or more")
  func good() throws {
    for price in [10, 12] as [Int64] {
      try makeItem(cost: 10, price: price).validateForInsert()
    }
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test("A new item with a lower price is refused, and the error names object, key and value")
  func bad() throws {
    let item = makeItem(cost: 10, price: 8)
    let error = try refusal(of: item)
    #expect(error.domain == NSCocoaErrorDomain)
    #expect(error.code == NSManagedObjectValidationError)
    #expect(error.userInfo[NSValidationObjectErrorKey] as? SaleItem === item, "the error has another object, or none")
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "price")
    #expect((error.userInfo[NSValidationValueErrorKey] as? NSNumber)?.int64Value == 8)
  }

  @Test("A saved item whose price is lowered too far is refused, and saved once it is corrected")
  func lowered() throws {
    let item = makeItem(cost: 10, price: 12)
    try item.validateForInsert()
    try context.save()
    item.price = 9
    _ = try refusal(of: item)
    item.price = 11
    try context.save()
    #expect(!context.hasChanges)
  }
}
