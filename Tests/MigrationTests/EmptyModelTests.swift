import CoreData
import Foundation
import Testing

/// A container whose model was not found has an empty one, and migrates by default.
@Suite("A container whose model was not found") struct EmptyModelTests {
  private static let model = InferenceModels.model(
    InferenceModels.Entity("Book", [InferenceModels.attribute("title")]))

  @Test(
    "A store is not migrated to a model without entities: it stays as it is, and the error says why",
    arguments: [NSPersistentStore.StoreType.sqlite, .xml, .binary])
  func refused(type: NSPersistentStore.StoreType) throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("empty-\(UUID().uuidString)")
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    let store = try coordinator.addPersistentStore(type: type, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      NSEntityDescription.insertNewObject(forEntityName: "Book", into: context).setValue("Emma", forKey: "title")
      try context.save()
    }
    try coordinator.remove(store)

    let container = NSPersistentContainer(name: "Lost", managedObjectModel: NSManagedObjectModel())
    let description = NSPersistentStoreDescription(url: url)
    description.type = type.rawValue
    container.persistentStoreDescriptions = [description]
    nonisolated(unsafe) var failure: NSError?
    container.loadPersistentStores { failure = $1 as NSError? }
    #expect(failure?.code == NSMigrationMissingMappingModelError)
    #expect(failure?.localizedDescription.contains("the model has no entities") == true)

    let again = try coordinator.addPersistentStore(type: type, at: url)
    let titles = try context.performAndWait {
      try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")).map {
        $0.value(forKey: "title") as? String
      }
    }
    #expect(titles == ["Emma"])
    try coordinator.remove(again)
  }
}
