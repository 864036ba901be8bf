import CoreData
import Foundation
import Testing

@Suite("Fetched properties")
struct FetchedPropertyTests {
  /// The library, with fetched properties of authors.
  static func model() -> NSManagedObjectModel {
    let model = library()
    func add(
      _ name: String, to entity: String, of destination: String, _ format: String?, _ userInfo: [String: Any] = [:]
    ) {
      let property = NSFetchedPropertyDescription()
      property.name = name
      property.userInfo = userInfo
      let request = NSFetchRequest<NSFetchRequestResult>()
      request.entity = model.entitiesByName[destination]
      request.predicate = format.map { NSPredicate(format: $0) }
      request.sortDescriptors = [
        NSSortDescriptor(key: destination == "Book" ? "title" : "name", ascending: true)
      ]
      property.fetchRequest = request
      model.entitiesByName[entity]!.properties.append(property)
    }
    add("works", to: "Author", of: "Book", "author == $FETCH_SOURCE")
    add("namesakes", to: "Author", of: "Author", "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE")
    add(
      "long", to: "Author", of: "Book", "author == $FETCH_SOURCE AND pages > $FETCHED_PROPERTY.userInfo.pages",
      ["pages": 100])
    add("everything", to: "Author", of: "Book", nil)
    add("siblings", to: "Book", of: "Book", "author.name == $FETCH_SOURCE.author.name AND SELF != $FETCH_SOURCE")
    add("related", to: "Book", of: "Book", "SELF != $FETCH_SOURCE AND ANY tags.name IN $FETCH_SOURCE.tags.name")
    add("owned", to: "Tag", of: "Book", "SELF IN $FETCH_SOURCE.books")
    add("fat", to: "Tag", of: "Book", "pages >= $FETCH_SOURCE.books.@max.pages")
    return model
  }

  private func titles(_ object: NSManagedObject, _ key: String) -> [String] {
    ((object[key] as? [NSManagedObject]) ?? []).compactMap { $0.string($0.entity.name == "Author" ? "name" : "title") }
  }

  private func fill(_ context: NSManagedObjectContext) -> (kafka: NSManagedObject, other: NSManagedObject) {
    let kafka = context.new("Author", ["name": "Kafka"])
    let other = context.new("Author", ["name": "Kafka"])
    context.new("Author", ["name": "Musil"])
    let tag = context.new("Tag", ["name": "law"])
    context.new("Book", ["title": "The Trial", "pages": 200, "author": kafka, "tags": NSSet(object: tag)])
    context.new("Book", ["title": "The Castle", "pages": 90, "author": kafka])
    context.new("Novel", ["title": "Amerika", "pages": 300, "author": other, "tags": NSSet(object: tag)])
    return (kafka, other)
  }

  @Test("It finds what its request finds, for the object, before and after a save", arguments: StoreKind.allCases)
  func values(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, other) = fill(context)
      func check() throws {
        #expect(titles(kafka, "works") == ["The Castle", "The Trial"])
        #expect(titles(other, "works") == ["Amerika"])
        #expect(kafka["namesakes"] as? [NSManagedObject] == [other])
        #expect(titles(kafka, "long") == ["The Trial"])
        #expect(titles(kafka, "everything") == ["Amerika", "The Castle", "The Trial"])
        let books = try context.all("Book")
        let trial = try #require(books.first { $0.string("title") == "The Trial" })
        #expect(titles(trial, "siblings") == ["Amerika", "The Castle"])
        #expect(titles(trial, "related") == ["Amerika"])
        let law = try context.only("Tag")
        #expect(titles(law, "owned") == ["Amerika", "The Trial"])
        #expect(titles(law, "fat") == ["Amerika"])
      }
      try check()
      try context.save()
      context.forget()
      try check()
    }
  }

  @Test("Its value is an array, by key, by key path and as any kind of array", arguments: StoreKind.allCases)
  func forms(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      try context.save()
      #expect(kafka.value(forKey: "works") is NSArray)
      #expect((kafka.value(forKey: "works") as? NSArray)?.count == 2)
      #expect((kafka.value(forKey: "works") as? [NSManagedObject])?.count == 2)
      #expect((kafka.value(forKey: "works") as? [Any])?.count == 2)
      #expect(kafka.value(forKeyPath: "works.title") as? [String] == ["The Castle", "The Trial"])
      #expect(kafka.value(forKeyPath: "works.@count") as? Int == 2)
      #expect(kafka.value(forKeyPath: "works.@sum.pages") as? Int == 290)
      #expect(NSPredicate(format: "ANY works.pages > 150").evaluate(with: kafka))
      #expect(kafka.managedValue(ManagedKey("works")) as [NSManagedObject] == kafka["works"] as! [NSManagedObject])
    }
  }

  @Test("It stays as it was found until the object is refreshed", arguments: StoreKind.allCases)
  func kept(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      try context.save()
      #expect(titles(kafka, "works").count == 2)
      let found = kafka["works"] as! NSArray
      context.new("Book", ["title": "Letters", "author": kafka])
      #expect(kafka["works"] as AnyObject === found)
      context.refresh(kafka, mergeChanges: true)
      #expect(titles(kafka, "works") == ["Letters", "The Castle", "The Trial"])
      context.new("Book", ["title": "Diaries", "author": kafka])
      #expect(titles(kafka, "works").count == 3)
      try context.save()
      context.refresh(kafka, mergeChanges: false)
      #expect(titles(kafka, "works") == ["Diaries", "Letters", "The Castle", "The Trial"])
    }
  }

  @Test("When the property's userInfo is set, it is found again at its next use", arguments: StoreKind.allCases)
  func userInfo(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      try context.save()
      let long = try #require(kafka.entity.propertiesByName["long"])
      #expect(titles(kafka, "long") == ["The Trial"])
      long.userInfo?["pages"] = 50
      #expect(titles(kafka, "long") == ["The Castle", "The Trial"])
      let (found, works) = (kafka["long"] as! NSArray, kafka["works"] as! NSArray)
      #expect(kafka["long"] as AnyObject === found && kafka["works"] as AnyObject === works)
      long.userInfo = ["pages": 250]
      #expect(titles(kafka, "long") == [] && kafka["works"] as AnyObject === works)
    }
  }

  @Test("A save and another context's save do not change it", keepsRows, arguments: StoreKind.allCases)
  func keptOverSaves(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { stack, context in
      let (kafka, _) = fill(context)
      try context.save()
      let found = kafka["works"] as! NSArray
      context.new("Book", ["title": "Letters", "author": kafka])
      try context.save()
      #expect(kafka["works"] as AnyObject === found)
      try stack.elsewhere { other in
        other.new("Book", ["title": "Notes"])
        try other.save()
      }
      let saved = try stack.elsewhere { try $0.all("Book").map(\.objectID) }
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [NSInsertedObjectIDsKey: saved], into: [context])
      #expect(kafka["works"] as AnyObject === found)
      #expect(found.count == 2)
    }
  }

  @Test("A rollback lets it be found again", arguments: StoreKind.allCases)
  func rollback(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      try context.save()
      context.new("Book", ["title": "Letters", "author": kafka])
      #expect(titles(kafka, "works").count == 3)
      context.rollback()
      #expect(titles(kafka, "works") == ["The Castle", "The Trial"])
    }
  }

  @Test("An unsaved object of a child context finds unsaved objects of its parent", arguments: StoreKind.allCases)
  func children(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      child.performAndWait {
        #expect(titles(child.same(kafka), "works") == ["The Castle", "The Trial"])
        let author = child.new("Author", ["name": "Musil"])
        child.new("Book", ["title": "Törless", "author": author])
        #expect(titles(author, "works") == ["Törless"])
        #expect(titles(author, "namesakes") == ["Musil"])
      }
    }
  }

  @Test("It finds objects of another store by their values")
  func acrossStores() throws {
    let model = FetchedPropertyTests.model()
    let person = entity("Person", [attribute("name")])
    let property = NSFetchedPropertyDescription()
    property.name = "authors"
    property.fetchRequest = NSFetchRequest(entityName: "Author")
    property.fetchRequest?.predicate = NSPredicate(format: "name == $FETCH_SOURCE.name")
    person.properties.append(property)
    model.entities.append(person)
    model.setEntities([person], forConfigurationName: "People")
    model.setEntities(model.entities.filter { $0 !== person }, forConfigurationName: "Books")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).sqlite")
    defer { for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: url.path + suffix) } }
    try coordinator.addPersistentStore(
      ofType: NSInMemoryStoreType, configurationName: "People", at: nil, options: nil)
    try coordinator.addPersistentStore(ofType: NSSQLiteStoreType, configurationName: "Books", at: url, options: nil)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let (kafka, other) = fill(context)
      let person = context.new("Person", ["name": "Kafka"])
      try context.save()
      #expect(Set(person["authors"] as! [NSManagedObject]) == [kafka, other])
      #expect(kafka.objectID.persistentStore !== person.objectID.persistentStore)
    }
  }

  @Test("In a fetch it is refused by name: in key paths, sort orders and columns", arguments: StoreKind.allCases)
  func refused(kind: StoreKind) throws {
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      _ = fill(context)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
      for format in [
        "ANY author.works.pages > 3", "author.works.@count > 1", "SUBQUERY(author.works, $w, $w.pages > 1).@count > 0",
      ] {
        request.predicate = NSPredicate(format: format)
        let words = failure { _ = try context.fetch(request) }?.localizedDescription ?? ""
        #expect(words.contains("the fetched property Author.works"), "\(format): \(words)")
      }
      request.predicate = nil
      request.sortDescriptors = [NSSortDescriptor(key: "author.works", ascending: true)]
      let words = failure { _ = try context.fetch(request) }?.localizedDescription ?? ""
      #expect(words.contains("the fetched property Author.works"))
      let columns = NSFetchRequest<NSDictionary>(entityName: "Author")
      columns.resultType = .dictionaryResultType
      columns.propertiesToFetch = ["works"]
      #expect(failure { _ = try context.fetch(columns) }?.localizedDescription.contains("works") == true)
    }
  }

  @Test("It can't be set: that ends the program, the checked spelling throws")
  func readOnly() async throws {
    try withStack(.inMemory, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      let error = failure { try kafka.setValue(nil, checkedForKey: "works") }
      #expect(error?.localizedDescription == "works of Author can't be set: it is a fetched property.")
      #expect(kafka.changedValues()["works"] == nil)
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try withStack(.inMemory, FetchedPropertyTests.model()) { _, context in
        context.new("Author").setValue([], forKey: "works")
      }
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Author.works cannot be set: it is a fetched property."))
  }

  @Test("A request that can't be executed ends the program when the property is read, with its name")
  func faulty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let model = FetchedPropertyTests.model()
      let property = model.entitiesByName["Author"]!.propertiesByName["works"] as! NSFetchedPropertyDescription
      property.fetchRequest?.predicate = NSPredicate(format: "author.nome == $FETCH_SOURCE.name")
      try withStack(.inMemory, model) { _, context in _ = context.new("Author")["works"] }
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("The fetched property Author.works can't be read"))
    #expect(words.contains("nome"))
  }

  @Test("An object without a context has nothing to find")
  func withoutContext() throws {
    try withStack(.inMemory, FetchedPropertyTests.model()) { stack, _ in
      let author = NSManagedObject(entity: stack.model.entitiesByName["Author"]!, insertInto: nil)
      #expect(author["works"] == nil)
      #expect((author.managedValue(ManagedKey("works")) as [NSManagedObject]).isEmpty)
    }
  }

  @Test("A context lets go of what was found", arguments: StoreKind.allCases)
  func memory(kind: StoreKind) throws {
    weak var leaked: NSManagedObject?
    try withStack(kind, FetchedPropertyTests.model()) { _, context in
      let (kafka, _) = fill(context)
      try context.save()
      leaked = kafka
      // They hold each other.
      for book in kafka["works"] as! [NSManagedObject] { _ = book["siblings"] }
      _ = kafka["namesakes"]
      for author in try context.all("Author") { _ = author["everything"] }
    }
    #expect(leaked == nil)
  }
}
