import CoreData
import Testing

/// What is not there says so: nothing pretends.
@Suite("What is missing says so")
struct MissingSurfaceTests {
  @Test(
    "A store is not opened with an option that asks for what is missing",
    arguments: [
      NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ])
  func options(_ key: String) {
    let description = NSPersistentStoreDescription(url: URL(fileURLWithPath: "/dev/null"))
    description.setOption(true as NSNumber, forKey: key)
    var failure: (any Error)?
    _ = DataController(description) { outcome in
      if case .failure(let error) = outcome { failure = error }
    }
    #expect(failure?.localizedDescription.hasSuffix("is not implemented.") == true)
    description.setOption(false as NSNumber, forKey: key)
    failure = nil
    _ = DataController(description) { outcome in
      if case .failure(let error) = outcome { failure = error }
    }
    #expect(failure == nil)
  }

  @Test("XML and binary stores are unknown types", arguments: [NSXMLStoreType, NSBinaryStoreType])
  func storeTypes(_ type: String) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: CoreDataStack.model)
    do {
      try coordinator.addPersistentStore(
        ofType: type, configurationName: nil, at: FileManager.default.temporaryDirectory, options: nil)
      Issue.record("A store of type \(type) was added.")
    } catch let error as NSError {
      #expect(error.code == NSPersistentStoreInvalidTypeError)
      #expect(error.localizedDescription.contains(type))
    }
  }
}
