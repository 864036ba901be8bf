import CoreData
import Foundation
import Testing

@Suite("Copies, configurations and merging of models")
struct MergingTests {
  @Test("A copied model has entities of its own, connected among themselves")
  func copyModel() throws {
    let library = ModelTests.library()
    library.versionIdentifiers = ["1.0"]
    library.setEntities([library["Author"]], forConfigurationName: "People")
    let copy = try #require(library.copy() as? NSManagedObjectModel)
    #expect(copy.entityVersionHashesByName == library.entityVersionHashesByName)
    #expect(copy.versionIdentifiers == ["1.0"])
    #expect(copy["Book"] !== library["Book"])
    #expect(copy["Thriller"].superentity === copy["Novel"])
    let books = try #require(copy["Author"].relationshipsByName["books"])
    #expect(books.destinationEntity === copy["Book"])
    #expect(books.inverseRelationship === copy["Book"].relationshipsByName["author"])
    #expect(books.deleteRule == .cascadeDeleteRule)
    #expect(copy.entities(forConfigurationName: "People")?.first === copy["Author"])
  }

  @Test("Changing a copy leaves the original as it was")
  func copyIsDeep() throws {
    let library = ModelTests.library()
    let before = library.versionChecksum
    let copy = try #require(library.copy() as? NSManagedObjectModel)
    copy["Book"].attributesByName["title"]?.isOptional = true
    copy["Book"].name = "Volume"
    #expect(library.versionChecksum == before)
  }

  @Test("An index over an inherited attribute is over the copy's in a copied or merged model, whose original may go")
  func inheritedIndexes() throws {
    func merged() throws -> NSManagedObjectModel {
      let library = ModelTests.library()
      let title = try #require(library["Book"].attributesByName["title"])
      let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
      element.isAscending = false
      library["Novel"].indexes = [NSFetchIndexDescription(name: "byTitle", elements: [element])]
      return try #require(NSManagedObjectModel(byMerging: [library]))
    }
    let model = try merged()
    let copy = try #require(model.copy() as? NSManagedObjectModel)
    for model in [model, copy] {
      let element = try #require(model["Novel"].indexes.first?.elements.first)
      #expect(element.property === model["Book"].attributesByName["title"])
      #expect(element.propertyName == "title" && !element.isAscending)
      #expect(element.indexDescription === model["Novel"].indexes.first)
    }
  }

  @Test("Entities that were copied one by one are connected by name in the model that gets them")
  func copyEntities() throws {
    let library = ModelTests.library()
    let copies = ["Author", "Book"].map { library[$0].copy() as! NSEntityDescription }
    let copy = model(copies)
    _ = NSPersistentStoreCoordinator(managedObjectModel: copy)
    let books = try #require(copy["Author"].relationshipsByName["books"])
    #expect(books.destinationEntity === copy["Book"])
    #expect(books.inverseRelationship === copy["Book"].relationshipsByName["author"])
    #expect(books.inverseRelationship?.inverseRelationship === books)
    #expect(library["Author"].relationshipsByName["books"]?.destinationEntity === library["Book"])
  }

  @Test("Copies of relationships may name as their inverse what only their originals lead to")
  func copyRelationships() throws {
    let (author, book) = (entity("Author"), entity("Book"))
    let (books, writer) = (relationship("books", to: book, max: 0), relationship("author", to: author, max: 1))
    books.inverseRelationship = writer
    writer.inverseRelationship = books
    author.properties = [books.copy() as! NSRelationshipDescription]
    book.properties = [writer.copy() as! NSRelationshipDescription]
    _ = NSPersistentStoreCoordinator(managedObjectModel: model([author, book]))
    let copy = try #require(author.relationshipsByName["books"])
    #expect(copy !== books)
    #expect(copy.inverseRelationship === book.relationshipsByName["author"])
    #expect(copy.inverseRelationship?.inverseRelationship === copy)
  }

  @Test("A merged model has the entities of all")
  func merge() throws {
    let merged = try #require(
      NSManagedObjectModel(byMerging: [library(), model([entity("Shelf", [attribute("room")])])]))
    #expect(Set(merged.entitiesByName.keys) == ["Author", "Book", "Novel", "Thriller", "Shelf"])
    #expect(NSManagedObjectModel(byMerging: []) == nil)
  }

  @Test("A relationship to an entity of another model leads, once merged, to the entity of that name")
  func joinByName() throws {
    let stranger = entity("Shelf")
    let shelf = relationship("shelf", to: stranger, max: 1)
    let books = model([entity("Book", [shelf])])
    let furniture = model([entity("Shelf", [attribute("room")])])
    let merged = try #require(NSManagedObjectModel(byMerging: [books, furniture]))
    #expect(merged["Book"].relationshipsByName["shelf"]?.destinationEntity === merged["Shelf"])
    #expect(merged["Shelf"].attributesByName["room"] != nil)
  }

  @Test("An entity that two models define alike is taken once")
  func mergeTwins() throws {
    let merged = try NSManagedObjectModel.merging([library(), library()])
    #expect(merged.entities.count == 4)
  }

  @Test("Two definitions of one entity are an error that names it")
  func mergeRivals() {
    let rival = model([entity("Book", [attribute("isbn")])])
    let error = #expect(throws: NSError.self) { try NSManagedObjectModel.merging([library(), rival]) }
    #expect(error?.domain == NSCocoaErrorDomain)
    #expect(error?.localizedDescription.contains("the entity Book") == true)
  }

  @Test("The entities for a store's metadata are picked from several models by their hashes")
  func mergeForMetadata() throws {
    let shelf = model([entity("Shelf", [attribute("room")])])
    let metadata: [String: Any] = ["NSStoreModelVersionHashes": shelf.entityVersionHashesByName]
    let found = try #require(NSManagedObjectModel(byMerging: [library(), shelf], forStoreMetadata: metadata))
    #expect(found.entitiesByName.keys.sorted() == ["Shelf"])
    #expect(NSManagedObjectModel(byMerging: [library()], forStoreMetadata: metadata) == nil)
  }

  @Test("The default configuration is all entities; an unknown one is nil")
  func configurations() {
    let library = ModelTests.library()
    library.setEntities([library["Author"]], forConfigurationName: "People")
    library.setEntities([library["Book"], library["Novel"]], forConfigurationName: "Books")
    #expect(library.configurations == ["Books", "People"])
    #expect(library.entities(forConfigurationName: nil)?.count == 4)
    // Novel stands there without the entity below it, and takes it along.
    #expect(library.entities(forConfigurationName: "Books")?.compactMap(\.name) == ["Book", "Novel", "Thriller"])
    #expect(library.entities(forConfigurationName: "Maps") == nil)
  }

  @Test("An entity below one that another model has, too, keeps it")
  func sharedSuperentity() throws {
    func family(_ name: String) -> NSManagedObjectModel {
      let (base, derived) = (NSEntityDescription(), NSEntityDescription())
      (base.name, derived.name) = ("Base", name)
      let title = NSAttributeDescription()
      (title.name, title.attributeType) = ("title", .stringAttributeType)
      base.properties = [title]
      base.subentities = [derived]
      let model = NSManagedObjectModel()
      model.entities = [base, derived]
      return model
    }
    let (one, other) = (family("One"), family("Other"))
    for models in [[one, other], [other, one]] {
      let merged = try #require(NSManagedObjectModel(byMerging: models))
      for name in ["One", "Other"] {
        let entity = try #require(merged.entitiesByName[name])
        #expect(entity.superentity === merged.entitiesByName["Base"] && entity.attributesByName["title"] != nil)
        #expect(entity.versionHash == (name == "One" ? one : other).entityVersionHashesByName[name])
      }
    }
  }

  @Test("A model for a store's metadata has those entities that the store has")
  func someEntities() throws {
    let model = NSManagedObjectModel()
    model.entities = ["Shelf", "Book"].map { name in
      let entity = NSEntityDescription()
      entity.name = name
      return entity
    }
    let metadata = [NSStoreModelVersionHashesKey: ["Shelf": model.entityVersionHashesByName["Shelf"]!]]
    let found = NSManagedObjectModel(byMerging: [model], forStoreMetadata: metadata)
    #expect(found?.entities.compactMap(\.name) == ["Shelf"])
  }

  @Test("Of two versions with one hash the first counts for a store's metadata, and the other adds nothing")
  func mergeVersionsForMetadata() throws {
    let (first, second) = (library(), library())
    second["Book"].managedObjectClassName = "Other"
    second["Author"].relationshipsByName["books"]?.deleteRule = .denyDeleteRule
    for (model, name) in [(first, "1"), (second, "2")] {
      model.versionIdentifiers = [name]
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: name == "1" ? "Book" : "Author")
      model.setFetchRequestTemplate(request, forName: "all")
    }
    second.setEntities([second["Author"]], forConfigurationName: "People")
    let metadata: [String: Any] = ["NSStoreModelVersionHashes": first.entityVersionHashesByName]
    let found = try #require(NSManagedObjectModel(byMerging: [first, second], forStoreMetadata: metadata))
    #expect(found["Book"].managedObjectClassName == first["Book"].managedObjectClassName)
    #expect(found["Author"].relationshipsByName["books"]?.deleteRule == .cascadeDeleteRule)
    #expect(found.versionIdentifiers == ["1"] && found.configurations.isEmpty)
    #expect(found.fetchRequestTemplatesByName["all"]?.entityName == "Book")
    let stranger = model([entity("Map")])
    stranger.versionIdentifiers = ["map"]
    let again = try #require(NSManagedObjectModel(byMerging: [stranger, first], forStoreMetadata: metadata))
    #expect(again.versionIdentifiers == ["1"])
  }

  @Test("A definition that has a transient property more is another one, in whatever order they come")
  func mergeTransient() {
    let draft = attribute("draft")
    draft.isTransient = true
    let (less, more) = (
      model([entity("Note", [attribute("text")])]), model([entity("Note", [attribute("text"), draft])])
    )
    for models in [[less, more], [more, less]] {
      #expect(throws: NSError.self) { try NSManagedObjectModel.merging(models) }
    }
  }

  @Test("When a model gets other entities, its configurations have those of the same names")
  func configurationsOfReplacedEntities() throws {
    let library = ModelTests.library()
    library.setEntities([library["Author"]], forConfigurationName: "People")
    library.setEntities([library["Author"], library["Book"]], forConfigurationName: "All")
    let author = entity("Author", [attribute("name")])
    library.entities = [author]
    #expect(library.entities(forConfigurationName: "People") == [author])
    #expect(library.entities(forConfigurationName: "All")?.first === author)
    #expect(library.entities(forConfigurationName: "All")?.count == 1)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: library)
    let store = try coordinator.addPersistentStore(type: .inMemory, configuration: "People", at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    try context.performAndWait {
      let object = NSManagedObject(entity: author, insertInto: context)
      try context.save()
      #expect(object.objectID.persistentStore === store)
    }
  }
}
