import CoreData
import TestFiles
import Testing

/// Stores of every type that has a file, as applications choose among them.
@Suite("Stacks over other file types", .serialized)
struct AtomicSurfaceTests {
  @Test(
    "Stacks of every file type save and read again", arguments: [NSXMLStoreType, NSBinaryStoreType, NSSQLiteStoreType])
  func saving(_ type: String) throws {
    let folder = TemporaryFolder()
    let url = folder.file("Notes.\(type.lowercased())")
    let description = NSPersistentStoreDescription(url: url)
    description.type = type
    for title in ["first", "second"] {
      let container = NSPersistentContainer(name: "Journal", managedObjectModel: CoreDataStack.model)
      container.persistentStoreDescriptions = [description]
      var failure: (any Error)?
      container.loadPersistentStores { failure = $1 }
      #expect(failure == nil)
      try container.viewContext.performAndWait {
        Note(context: container.viewContext).title = title
        try container.viewContext.save()
      }
    }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CoreDataStack.model)
    let store = try coordinator.addPersistentStore(type: .init(rawValue: type), at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let titles = try context.performAndWait {
      try context.fetch(NSFetchRequest<Note>(entityName: "Note")).compactMap(\.title).sorted()
    }
    #expect(titles == ["first", "second"])
    #expect(store.type == type)
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: type, at: url, options: nil)
    #expect(metadata[NSStoreTypeKey] as? String == type)
    #expect(CoreDataStack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
  }
}
