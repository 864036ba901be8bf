import Foundation
import Testing

@testable import CoreData

@Suite("Several stores and configurations")
struct SeveralStoresTests {
  private let folder = StoreFolder()

  /// A and its kind Deep in the first configuration, B in the second, A and its kind Flat in the third; A alone in a
  /// fourth, which takes its kinds along; C in none.
  private func model() -> NSManagedObjectModel {
    let (a, deep) = (entity("A", [attribute("name")]), entity("Deep", [attribute("more")]))
    let flat = entity("Flat")
    let (b, c) = (entity("B", [attribute("name")]), entity("C", [attribute("name")]))
    a.subentities = [deep, flat]
    relate(a, "other", .one, to: b)
    let found = NSFetchedPropertyDescription()
    found.name = "found"
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = b
    request.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
    found.fetchRequest = request
    a.properties.append(found)
    let model = NSManagedObjectModel()
    model.entities = [a, deep, flat, b, c]
    model.setEntities([a, deep], forConfigurationName: "One")
    model.setEntities([b], forConfigurationName: "Two")
    model.setEntities([a, flat], forConfigurationName: "Shallow")
    model.setEntities([a], forConfigurationName: "Parent")
    return model
  }

  private func coordinator(
    _ stores: [(kind: StoreKind, configuration: String?, options: [AnyHashable: Any]?)]
  ) throws -> (NSPersistentStoreCoordinator, [NSPersistentStore]) {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
    let added = try stores.enumerated().map { index, store in
      try coordinator.addPersistentStore(
        ofType: store.kind.type, configurationName: store.configuration,
        at: folder.place(store.kind, "\(index)"),
        options: store.options)
    }
    return (coordinator, added)
  }

  @Test(
    "A row that is deleted elsewhere takes no member out of another store's changed relationships",
    arguments: StoreKind.allCases)
  func sameKeys(_ kind: StoreKind) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let stores = try (0..<2).map {
      try coordinator.addPersistentStore(
        ofType: kind.type, configurationName: nil, at: folder.place(kind, "same\($0)"), options: nil)
    }
    let context = coordinator.newContext()
    try context.performAndWait {
      context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let books = stores.map { store in
        let book = context.new("Book", ["author": context.new("Author")])
        for object in [book, book.object("author")!] { context.assign(object, to: store) }
        return book
      }
      try context.save()
      let authors = books.map { $0.object("author")! }
      #expect(authors.map { $0.objects("books").count } == [1, 1])
      let new = authors.map { context.new("Book", ["author": $0]) }
      for (book, store) in zip(new, stores) { context.assign(book, to: store) }
      let id = books[0].objectID
      let other = coordinator.newContext()
      try other.performAndWait {
        other.delete(other.object(with: id))
        try other.save()
      }
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSDeletedObjectsKey: [id.uriRepresentation()]], into: [context])
      #expect(authors[0].objects("books") == [new[0]])
      #expect(authors[1].objects("books") == [books[1], new[1]])
      try context.save()
      #expect(authors.map { $0.objects("books").count } == [1, 2])
    }
  }

  @Test(
    "New objects go to the first store that takes their entity, each kind of a hierarchy where it is",
    arguments: StoreKind.allCases)
  func routing(_ kind: StoreKind) throws {
    let (coordinator, stores) = try coordinator([(kind, "Shallow", nil), (kind, "One", nil), (kind, "Two", nil)])
    let context = coordinator.newContext()
    try context.performAndWait {
      let objects = ["A", "Deep", "B"].map { context.new($0, ["name": $0]) }
      let assigned = context.new("A", ["name": "assigned"])
      context.assign(assigned, to: stores[1])
      try context.save()
      #expect((objects + [assigned]).compactMap { $0.objectID.persistentStore } == stores + [stores[1]])
      context.reset()
      #expect(try context.strings("A", "name") == ["A", "Deep", "assigned"])
      #expect(try context.strings("Deep", "name") == ["Deep"])
      context.new("C")
      let error = failure { try context.save() }
      #expect(error?.code == NSPersistentStoreSaveError)
      #expect(
        error?.localizedDescription
          == "No store of the coordinator holds C: the stores have the configurations One, Shallow, Two, "
          + "and none of these contains it. Add a store with a configuration that does.")
      context.rollback()
      #expect(try context.all("C").isEmpty)
    }
  }

  @Test("A parent entity alone in a configuration takes the entities below it along", arguments: StoreKind.kept)
  func parentAlone(_ kind: StoreKind) throws {
    #expect(model().entities(forConfigurationName: "Parent")?.compactMap(\.name).sorted() == ["A", "Deep", "Flat"])
    #expect(model().entities(forConfigurationName: "Shallow")?.compactMap(\.name).sorted() == ["A", "Flat"])
    for round in 1...2 {
      let (coordinator, stores) = try coordinator([(kind, "Parent", nil)])
      let context = coordinator.newContext()
      try context.performAndWait {
        context.new("Deep", ["name": "\(round)"])
        try context.save()
        #expect(try context.all("Deep").count == round)
      }
      let hashes = stores[0].metadata[NSStoreModelVersionHashesKey] as? [String: Data]
      #expect(hashes?.keys.sorted() == ["A", "Deep", "Flat"])
      try coordinator.remove(stores[0])
    }
  }

  @Test("A read-only store is passed over by new objects, and still read", arguments: StoreKind.kept)
  func readOnlyFirst(_ kind: StoreKind) throws {
    try folder.open(kind, "0", model()) { _, context in
      context.new("A", ["name": "old"])
      try context.save()
    }
    let (coordinator, stores) = try coordinator([
      (kind, nil, [NSReadOnlyPersistentStoreOption: true as NSNumber]), (kind, nil, nil),
    ])
    let context = coordinator.newContext()
    try context.performAndWait {
      let new = context.new("A", ["name": "new"])
      try context.save()
      #expect(new.objectID.persistentStore === stores[1])
      #expect(try context.strings("A", "name") == ["new", "old"])
      let refused = context.new("A", ["name": "refused"])
      context.assign(refused, to: stores[0])
      let error = failure { try context.save() }
      #expect(error?.localizedDescription.contains("is read-only; it can't save objects of the entity A") == true)
      context.rollback()
    }
  }

  @Test(
    "Stores of two types hold each its part; a relationship between them can't be saved, a fetched property leads over",
    arguments: StoreKind.allCases)
  func types(_ kind: StoreKind) throws {
    let (coordinator, stores) = try coordinator([(.inMemory, "One", nil), (kind, "Two", nil)])
    let context = coordinator.newContext()
    try context.performAndWait {
      let (a, b) = (context.new("A", ["name": "x"]), context.new("B", ["name": "x"]))
      try context.save()
      #expect([a, b].map { $0.objectID.persistentStore } == stores.map(Optional.some))
      #expect(a["found"] as? NSArray == [b] as NSArray)
      a["other"] = b
      let error = failure { try context.save() }
      #expect(error?.code == NSManagedObjectExternalRelationshipError)
      #expect(error?.localizedDescription.contains("other of A leads to B") == true)
    }
  }

  @Test("A store that fails after others have written: the error names it, and what the others have is saved")
  func incomplete() throws {
    let (coordinator, stores) = try coordinator([
      (.inMemory, "One", nil), (.sqlite, "Two", [NSPersistentStoreTimeoutOption: 0]),
    ])
    let context = coordinator.newContext()
    let other = coordinator.newContext()
    try context.performAndWait {
      let old = context.new("A", ["name": "old"])
      try context.save()
      old["name"] = "changed"
      let (a, b) = (context.new("A", ["name": "a"]), context.new("B", ["name": "b"]))
      context.delete(context.new("A"))
      try context.obtainPermanentIDs(for: [b])
      var lock: Connection? = try folder.lock("1")
      let error = try #require(failure { try context.save() })
      lock = nil
      #expect(error.code == NSPersistentStoreIncompleteSaveError)
      #expect(error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [stores[1]])
      #expect(error.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [b])
      #expect((error.userInfo[NSUnderlyingErrorKey] as? NSError)?.userInfo[NSSQLiteErrorDomain] as? Int == 5)
      #expect(context.insertedObjects == [b] && context.updatedObjects.isEmpty)
      #expect(!a.objectID.isTemporaryID && !a.hasChanges && b.isInserted)
      #expect(try other.performAndWait { try other.strings("A", "name") } == ["a", "changed"])
      a["name"] = "again"
      try context.save()
      #expect(!context.hasChanges)
      withExtendedLifetime(lock) {}
    }
    try other.performAndWait { () throws -> Void in
      other.reset()
      #expect(try other.strings("A", "name") == ["again", "changed"])
      #expect(try other.strings("B", "name") == ["b"])
    }
  }

  @Test("Where the first store fails nothing is saved")
  func failingFirst() throws {
    let (coordinator, _) = try coordinator([
      (.sqlite, "One", [NSPersistentStoreTimeoutOption: 0]), (.inMemory, "Two", nil),
    ])
    let context = coordinator.newContext()
    try context.performAndWait {
      let (a, b) = (context.new("A"), context.new("B"))
      try context.obtainPermanentIDs(for: [a, b])
      var lock: Connection? = try folder.lock("0")
      #expect(failure { try context.save() }?.code == NSSQLiteError)
      lock = nil
      #expect(context.insertedObjects == [a, b])
      try context.save()
      withExtendedLifetime(lock) {}
    }
  }

  @Test(
    "A conflict in the second store: the merge policy decides, or the error names that store",
    arguments: StoreKind.allCases, [true, false])
  func conflict(_ kind: StoreKind, _ merges: Bool) throws {
    let (coordinator, stores) = try coordinator([(kind, "One", nil), (kind, "Two", nil)])
    let (context, other) = (coordinator.newContext(), coordinator.newContext())
    try context.performAndWait {
      let b = context.new("B", ["name": "b"])
      try context.save()
      b.read()
      try other.performAndWait {
        try other.only("B")["name"] = "theirs"
        try other.save()
      }
      b["name"] = "mine"
      context.new("A", ["name": "a"])
      if merges { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
      let error = failure { try context.save() }
      #expect((error == nil) == merges)
      if let error {
        #expect(error.code == NSPersistentStoreIncompleteSaveError)
        #expect(error.userInfo[NSAffectedStoresErrorKey] as? [NSPersistentStore] == [stores[1]])
        #expect((error.userInfo[NSDetailedErrorsKey] as? [NSError])?.map(\.code) == [NSManagedObjectMergeError])
        #expect(context.updatedObjects == [b] && context.insertedObjects.isEmpty)
      }
      other.performAndWait { other.reset() }
      #expect(try other.performAndWait { try other.strings("A", "name") } == ["a"])
      #expect(try other.performAndWait { try other.strings("B", "name") } == [merges ? "mine" : "theirs"])
    }
  }
}
