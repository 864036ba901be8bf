import CoreData
import Foundation
import Testing

/// Entities that become abstract.
@Suite("Inferred mappings: entities that become abstract") struct InferenceAbstractTests {
  typealias Make = InferenceModels
  typealias Entity = InferenceModels.Entity

  // Kept, so that migrations find them.
  private nonisolated(unsafe) static let concrete = Make.model(
    Entity("Shape", [Make.attribute("name")]), Entity("Ball", of: "Shape"))
  private nonisolated(unsafe) static let abstract = Make.model(
    Entity("Shape", isAbstract: true, [Make.attribute("name")]), Entity("Ball", of: "Shape"))

  private func store(_ type: NSPersistentStore.StoreType, with entities: [String]) throws -> URL {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("abstract-\(UUID().uuidString)")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.concrete)
    let store = try coordinator.addPersistentStore(type: type, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      for entity in entities {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(entity, forKey: "name")
      }
      try context.save()
    }
    try coordinator.remove(store)
    return url
  }

  private let automatically = [
    NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
  ]

  @Test("An entity becomes abstract or ceases to be: that is inferred")
  func models() throws {
    #expect(InferenceTests.refusal(Self.concrete, Self.abstract) == nil)
    #expect(InferenceTests.refusal(Self.abstract, Self.concrete) == nil)
  }

  @Test(
    "A store with objects of an entity that has become abstract is refused with their number, and stays as it is",
    arguments: [NSPersistentStore.StoreType.sqlite, .binary, .xml])
  func objects(type: NSPersistentStore.StoreType) throws {
    let url = try store(type, with: ["Shape", "Ball", "Shape"])
    defer { try? FileManager.default.removeItem(at: url) }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.abstract)
    let error = #expect(throws: NSError.self) {
      try coordinator.addPersistentStore(type: type, at: url, options: automatically)
    }
    let cause = try #require(error?.userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(error?.code == NSMigrationError && cause.code == NSMigrationError)
    #expect(cause.userInfo["entity"] as? String == "Shape")
    #expect(cause.localizedDescription.contains("2 objects"))
    let former = NSPersistentStoreCoordinator(managedObjectModel: Self.concrete)
    #expect(throws: Never.self) { try former.addPersistentStore(type: type, at: url) }
  }

  @Test(
    "…one with objects of its subentities only is migrated",
    arguments: [NSPersistentStore.StoreType.sqlite, .binary, .xml])
  func none(type: NSPersistentStore.StoreType) throws {
    let url = try store(type, with: ["Ball"])
    defer { try? FileManager.default.removeItem(at: url) }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.abstract)
    _ = try coordinator.addPersistentStore(type: type, at: url, options: automatically)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let names = try context.performAndWait {
      let shapes = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Shape"))
      return shapes.map { $0.value(forKey: "name") as? String }
    }
    #expect(names == ["Ball"])
  }
}
