import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("73 A store in twenty lines", .serialized)
struct TwentyLineStoreTests {
  let bench: Bench
  let context: NSManagedObjectContext

  init() throws {
    bench = try Bench()
    NSPersistentStoreCoordinator.registerStoreClass(GlossaryStore.self, forStoreType: GlossaryStore.storeType)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: GlossaryStore.model())
    try coordinator.addPersistentStore(
      ofType: GlossaryStore.storeType, configurationName: nil, at: bench.folder, options: nil)
    context = bench.makeContext(coordinator)
  }

  private func entries(_ predicate: NSPredicate? = nil) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Entry")
    request.predicate = predicate
    return try context.fetch(request)
  }

  @Test("A fetch finds an object for each word, and all are faults")
  func fetch() throws {
    let found = try entries()
    #expect(found.count == 3)
    #expect(found.map(\.isFault) == [true, true, true])
  }

  @Test("An object that is read has its word and its meaning")
  func fault() throws {
    let lines = try entries().map { "\($0.value(forKey: "word") ?? "none"): \($0.value(forKey: "meaning") ?? "none")" }
    #expect(lines == ["fault: an object without its values", "row: a line of a table", "stack: four parts"])
  }

  @Test("A predicate chooses among the words")
  func predicate() throws {
    let found = try entries(NSPredicate(format: "meaning CONTAINS %@", "table"))
    #expect(found.map { $0.value(forKey: "word") as? String } == ["row"])
  }

  @Test("A save is refused by an error: the store is for reading")
  func readOnly() throws {
    let found = try entries()
    let entry = try #require(found.first)
    entry.setValue("something else", forKey: "meaning")
    #expect(throws: (any Error).self) { try context.save() }
  }
}
