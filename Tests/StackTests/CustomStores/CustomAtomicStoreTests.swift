import CoreData
import Foundation
import Testing

/// What becomes of an atomic store's nodes, and of its file.
@Suite("Atomic stores of one's own", .serialized)
struct CustomAtomicStoreTests {
  @Test("What was saved is there when the file is read again: values, relationships both ways, orders, subentities")
  func roundTrip() throws {
    try withStack(.csv) { stack, context in
      let author = context.new(
        "Author", ["name": "Franz \"K\", Prag\n1883", "born": Date(timeIntervalSinceReferenceDate: 0.5)])
      let book = context.new("Book", ["title": "", "pages": 300, "author": author])
      context.new("Novel", ["title": "Der Prozeß", "genre": "parable", "author": author])
      book["tags"] = NSSet(array: [context.new("Tag", ["name": "x"]), context.new("Tag", ["name": "y"])])
      book["chapters"] = NSOrderedSet(array: ["2", "1", "3"].map { context.new("Chapter", ["title": $0]) })
      try context.save()
      let copy = try Stack(.csv, library(), at: stack.url)
      try copy.context.performAndWait {
        let author = try copy.context.only("Author")
        #expect(author.string("name") == "Franz \"K\", Prag\n1883")
        #expect(author["born"] as? Date == Date(timeIntervalSinceReferenceDate: 0.5))
        #expect(author.objects("books").map(\.entity.name!).sorted() == ["Book", "Novel"])
        let book = try #require(author.objects("books").first { $0.entity.name == "Book" })
        #expect(book.string("title") == "" && book.string("isbn") == nil && book.int("pages") == 300)
        #expect(book.list("chapters").map { $0.string("title") } == ["2", "1", "3"])
        #expect(Set(book.objects("tags").map { $0.objects("books") }) == [[book]])
        #expect(copy.store.identifier == stack.store.identifier)
      }
    }
  }

  @Test("Nodes that lead to each other are freed when their objects are deleted")
  func freedNodes() throws {
    try withStack(.csv) { stack, context in
      let author = context.new("Author", ["name": "a"])
      let passport = context.new("Passport", ["holder": author])
      try context.save()
      let store = try #require(stack.store as? CSVStore)
      weak let node = store.cacheNode(for: author.objectID)
      #expect(node?.value(forKey: "passport") is NSAtomicStoreCacheNode)
      for object in [author, passport] { context.delete(object) }
      try context.save()
      #expect(node == nil)
    }
  }

  @Test("A file of zero length is a store to be made")
  func emptyFile() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: url)
    let stack = try Stack(.csv, at: url)
    try stack.context.performAndWait {
      #expect(try stack.context.all("Book").isEmpty)
      stack.context.new("Book", ["title": "a"])
      try stack.context.save()
    }
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
      ofType: CSVStore.storeType, at: url, options: nil)
    #expect(metadata[NSStoreUUIDKey] as? String == stack.store.identifier)
    #expect(stack.model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
  }

  @Test("A save that can't be written leaves nodes, rows, file and context as they were")
  func failedSave() throws {
    try withStack(.csv) { stack, context in
      let author = context.new("Author", ["name": "a"])
      let book = context.new("Book", ["title": "b", "author": author])
      try context.save()
      let file = try Data(contentsOf: stack.url)
      let store = try #require(stack.store as? CSVStore)
      let node = try #require(store.cacheNode(for: author.objectID))
      author["name"] = "changed"
      let new = context.new("Book", ["title": "new", "author": author])
      context.delete(book)
      let url = store.url
      store.url = stack.url.appendingPathComponent("nowhere/file")
      #expect(failure { try context.save() } != nil)
      store.url = url
      #expect(new.objectID.isTemporaryID && context.insertedObjects == [new] && context.deletedObjects == [book])
      #expect(author.string("name") == "changed" && node.value(forKey: "name") as? String == "a")
      #expect(store.cacheNodes().count == 2 && store.cacheNode(for: book.objectID) != nil)
      #expect(try Data(contentsOf: stack.url) == file)
      #expect(try stack.elsewhere { try $0.strings("Book", "title") } == ["b"])
      try context.save()
      #expect(store.cacheNodes().count == 2 && store.cacheNode(for: book.objectID) == nil)
      #expect(node.value(forKey: "name") as? String == "changed")
      let members = node.value(forKey: "books") as? NSSet
      #expect(members?.allObjects.map { ($0 as! NSAtomicStoreCacheNode).objectID } == [new.objectID])
    }
  }

  @Test("Nodes that lead to each other are freed with their store, and when it is removed")
  func lifetime() throws {
    for isRemoved in [false, true] {
      weak var node: NSAtomicStoreCacheNode?
      weak var store: CSVStore?
      try withStack(.csv) { stack, context in
        let author = context.new("Author", ["name": "a"])
        context.new("Book", ["title": "b", "author": author])
        try context.save()
        store = stack.store as? CSVStore
        node = store?.cacheNode(for: author.objectID)
        #expect((node?.value(forKey: "books") as? NSSet)?.count == 1)
        if isRemoved { try stack.coordinator.remove(stack.store) }
      }
      #expect(node == nil)
    }
  }

  @Test("A file that can't be read is the error of adding the store")
  func brokenFile() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try Data("Store,CSV,1\nBook,x\n".utf8).write(to: url)
    #expect(failure { _ = try Stack(.csv, at: url) }?.localizedDescription.contains("begins no line") == true)
  }

  final class Fixed: NSAtomicStore {
    override var type: String { "Fixed" }

    override func load() throws {
      let model = persistentStoreCoordinator!.managedObjectModel.entitiesByName
      let author = node(model["Author"]!, "kafka", ["name": "Kafka"])
      let book = node(model["Book"]!, "amerika", ["title": "Amerika", "pages": "many"])
      if options?["good"] != nil { book.setValue(7, forKey: "pages") }
      // From the one side alone.
      author.setValue([book], forKey: "books")
      addCacheNodes([author, book])
    }

    private func node(_ entity: NSEntityDescription, _ name: String, _ values: [String: Any]) -> NSAtomicStoreCacheNode
    {
      let node = NSAtomicStoreCacheNode(objectID: objectID(for: entity, withReferenceObject: name))
      node.propertyCache = NSMutableDictionary(dictionary: values)
      return node
    }
  }

  private func fixed(_ options: [AnyHashable: Any]) throws -> NSPersistentStoreCoordinator {
    NSPersistentStoreCoordinator.registerStoreClass(Fixed.self, forStoreType: "Fixed")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    try coordinator.addPersistentStore(
      ofType: "Fixed", configurationName: nil, at: URL(fileURLWithPath: "/dev/null"), options: options)
    return coordinator
  }

  @Test("A node's value of the wrong type is an error of adding the store that names the property")
  func wrongValue() throws {
    let error = failure { _ = try fixed([:]) }
    #expect(
      error?.localizedDescription
        == "The store class Fixed breaks the rules for load(): Book.pages can't be \"many\" of the type String.")
  }

  @Test("Metadata have a type, a UUID and hashes by default; relationships may be stated by one side")
  func defaults() throws {
    let coordinator = try fixed(["good": true])
    let metadata = try #require(coordinator.persistentStores.first?.metadata)
    #expect(metadata[NSStoreTypeKey] as? String == "Fixed")
    #expect(coordinator.managedObjectModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata))
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let book = try context.only("Book")
      #expect(book.object("author")?.objects("books") == [book])
      #expect(book.objectID.uriRepresentation().lastPathComponent == "pamerika")
    }
  }

  /// Finds a tag of another program in its file whenever it saves.
  private final class FindingStore: CSVStore {
    override var type: String { "Finding" }

    override func save() throws {
      let tag = persistentStoreCoordinator!.managedObjectModel.entitiesByName["Tag"]!
      let node = NSAtomicStoreCacheNode(objectID: objectID(for: tag, withReferenceObject: NSNumber(value: 1000)))
      node.setValue("found", forKey: "name")
      addCacheNodes([node])
      try super.save()
    }
  }

  @Test("A node that takes the place of another has its own members, on both sides")
  func replacedNode() throws {
    try withStack(.csv) { stack, context in
      let tags = ["a", "b", "c"].map { context.new("Tag", ["name": $0]) }
      let book = context.new("Book", ["title": "t"])
      book["tags"] = NSSet(array: [tags[0], tags[1]])
      try context.save()
      let store = try #require(stack.store as? CSVStore)
      let former = try #require(store.cacheNode(for: book.objectID))
      let node = NSAtomicStoreCacheNode(objectID: book.objectID)
      node.propertyCache = former.propertyCache?.mutableCopy() as? NSMutableDictionary
      let members = [tags[1], tags[2]].compactMap { store.cacheNode(for: $0.objectID) }
      node.setValue(NSSet(array: members), forKey: "tags")
      store.addCacheNodes([node])
      try stack.elsewhere { other throws in
        let book = try other.only("Book")
        #expect(book.string("title") == "t")
        let names = book.objects("tags").compactMap { $0.string("name") }.sorted()
        #expect(names == ["b", "c"])
        #expect(other.same(tags[0]).objects("books").isEmpty)
        #expect(other.same(tags[2]).objects("books") == [book])
      }
    }
  }

  @Test("A node that is added again is a conflict for those who have read it only if it has something new", keepsRows)
  func sameNodeAgain() throws {
    try withStack(.csv) { stack, context in
      let tags = ["a", "b"].map { context.new("Tag", ["name": $0]) }
      let book = context.new("Book", ["title": "t", "pages": 7])
      book["author"] = context.new("Author", ["name": "n"])
      book["tags"] = NSSet(object: tags[0])
      try context.save()
      let store = try #require(stack.store as? CSVStore)
      let node = try #require(store.cacheNode(for: book.objectID))
      store.addCacheNodes([node])
      book["title"] = "changed"
      try context.save()
      #expect(node.value(forKey: "title") as? String == "changed")
      node.setValue("another", forKey: "title")
      store.addCacheNodes([node])
      book["title"] = "mine"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
      context.rollback()
      context.refresh(book, mergeChanges: false)
      #expect(book.string("title") == "another")
      let both = tags.compactMap { store.cacheNode(for: $0.objectID) }
      node.setValue(NSSet(array: both), forKey: "tags")
      store.addCacheNodes([node])
      book["title"] = "mine"
      #expect(failure { try context.save() }?.code == NSManagedObjectMergeError)
    }
  }

  @Test("Nodes that a store adds while it saves are there after the save")
  func nodesAddedInASave() throws {
    NSPersistentStoreCoordinator.registerStoreClass(FindingStore.self, forStoreType: "Finding")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library())
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: url) }
    try coordinator.addPersistentStore(ofType: "Finding", configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let own = context.new("Tag", ["name": "own"])
      try context.save()
      #expect(try context.strings("Tag", "name").sorted() == ["found", "own"])
      own["name"] = "own again"
      try context.save()
      #expect(try context.strings("Tag", "name").sorted() == ["found", "own again"])
    }
  }
}
