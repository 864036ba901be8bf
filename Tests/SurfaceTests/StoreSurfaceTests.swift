import CoreData
import TestFiles
import Testing

/// Stores as their authors write them for Apple's framework.
@Suite("Stores of one's own", .serialized)
struct StoreSurfaceTests {
  private static func thing() -> NSManagedObjectModel {
    let owner = NSEntityDescription()
    owner.name = "Owner"
    let thing = NSEntityDescription()
    thing.name = "Thing"
    for entity in [owner, thing] {
      let name = NSAttributeDescription()
      name.name = "name"
      name.attributeType = .stringAttributeType
      entity.properties = [name]
    }
    let one = NSRelationshipDescription()
    (one.name, one.destinationEntity, one.maxCount) = ("owner", owner, 1)
    let many = NSRelationshipDescription()
    (many.name, many.destinationEntity, many.maxCount) = ("things", thing, 0)
    (one.inverseRelationship, many.inverseRelationship) = (many, one)
    thing.properties.append(one)
    owner.properties.append(many)
    let model = NSManagedObjectModel()
    model.entities = [owner, thing]
    return model
  }

  private func context(_ storeClass: AnyClass, _ type: String, at url: URL?) throws -> NSManagedObjectContext {
    NSPersistentStoreCoordinator.registerStoreClass(storeClass, forStoreType: type)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: StoreSurfaceTests.thing())
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  @Test("A store over a web service compiles unchanged, finds, faults, saves, and may never change its versions")
  func incremental() throws {
    RemoteStore.service = [
      "Owner": [1: ["name": "K."]], "Thing": [1: ["name": "a", "owner": 1], 2: ["name": "b", "owner": 1]],
    ]
    let context = try context(RemoteStore.self, RemoteStore.storeType, at: nil)
    try context.performAndWait {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
      request.predicate = NSPredicate(format: "name == %@", "b")
      let thing = try #require(context.fetch(request).first)
      let owner = try #require(thing.value(forKey: "owner") as? NSManagedObject)
      #expect(owner.value(forKey: "name") as? String == "K.")
      #expect((owner.value(forKey: "things") as? NSSet)?.count == 2)
      for name in ["c", "d", "e"] {
        thing.setValue(name, forKey: "name")
        try context.save()
        #expect(RemoteStore.service["Thing"]?[2]?["name"] as? String == name)
      }
      let new = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
      new.setValue(owner, forKey: "owner")
      try context.save()
      #expect(new.objectID.uriRepresentation().absoluteString == "x-coredata://7D9F6E2A-REMOTE/Thing/p3")
      context.delete(thing)
      try context.save()
      #expect(RemoteStore.service["Thing"]?.keys.sorted() == [1, 3])
      #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Thing")) == 2)
    }
  }

  @Test("A store in a property list compiles unchanged but for required, and keeps its metadata")
  func atomic() throws {
    let folder = TemporaryFolder()
    let file = folder.file("things.plist")
    let first = try context(PlistStore.self, PlistStore.type, at: file)
    try first.performAndWait {
      let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: first)
      thing.setValue("a", forKey: "name")
      try first.save()
    }
    let second = try context(PlistStore.self, PlistStore.type, at: file)
    try second.performAndWait {
      let found = try second.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
      #expect(found.map { $0.value(forKey: "name") as? String } == ["a"])
    }
    let stores = [first, second].map { $0.persistentStoreCoordinator!.persistentStores[0] }
    #expect(stores[0].identifier == stores[1].identifier)
    #expect(
      stores[1].persistentStoreCoordinator!.managedObjectModel.isConfiguration(
        withName: nil, compatibleWithStoreMetadata: stores[1].metadata))
  }

  @Test("A save request has its four sets, which may be missing")
  func saveRequest() {
    let request = NSSaveChangesRequest(inserted: nil, updated: [], deleted: nil, locked: nil)
    #expect(request.requestType == .saveRequestType)
    #expect(request.insertedObjects == nil && request.updatedObjects == [])
    #expect(request.deletedObjects == nil && request.lockedObjects == nil)
  }
}
