import CoreData
import Testing

// Programs from before the framework had these methods bring them along. They call the framework's in turn.

extension NSManagedObjectContext {
  fileprivate func performAndWait<T>(_ block: () throws -> T) throws -> T {
    var result: Result<T, any Error>!
    performAndWait { result = Result { try block() } }
    return try result.get()
  }
}

extension NSPersistentStoreCoordinator {
  fileprivate func performAndWait<T>(_ block: () -> T) -> T {
    var result: T?
    performAndWait { result = block() }
    return result!
  }
}

extension NSPersistentContainer {
  fileprivate func performBackgroundTask<T>(
    _ block: @escaping (NSManagedObjectContext) throws -> T
  ) async rethrows -> T {
    let context = newBackgroundContext()
    return try await context.perform { try block(context) }
  }
}

@Suite("Methods of a program's own that have the names of later ones")
struct OwnPerformingTests {
  @Test("A program's performAndWait of its own is the one that it calls, and calls the framework's")
  func waiting() throws {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    #expect(try context.performAndWait { context.registeredObjects.count } == 0)
    #expect(throws: CocoaError.self) { try context.performAndWait { throw CocoaError(.validationMultipleErrors) } }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
    #expect(coordinator.performAndWait { coordinator.persistentStores.count } == 0)
  }

  @Test("A program's performBackgroundTask of its own is the one that it calls")
  func background() async {
    let container = NSPersistentContainer(name: "None", managedObjectModel: NSManagedObjectModel())
    #expect(await container.performBackgroundTask { $0.registeredObjects.count } == 0)
  }

  @Test("A code is recognised as one of validation")
  func codes() {
    let code = CocoaError.Code.validationMissingMandatoryProperty.rawValue
    #expect((NSValidationErrorMinimum...NSValidationErrorMaximum).contains(code))
    #expect(!(NSFileErrorMinimum...NSFileErrorMaximum).contains(code))
  }
}
