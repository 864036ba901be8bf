import CoreData
import Foundation
import SwiftData
import TestFiles
import Testing

@Suite("SwiftData and Core Data on one file")
struct SharedFileTests {
  private func container(_ url: URL) throws -> NSPersistentContainer {
    let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Book.self]))
    let container = NSPersistentContainer(name: "Shared", managedObjectModel: model)
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    return container
  }

  @Test("Each reads what the other has saved, while both have the file open")
  func both() throws {
    let folder = TemporaryFolder()
    let models = try library(folder.file())
    let emma = Book(isbn: "1", title: "Emma", pages: 474, author: Author(name: "Jane"))
    // A struct whose parts are all nil is no value to Core Data, which would ask for one.
    emma.remark.text = "read twice"
    models.insert(emma)
    try models.save()

    let stack = try container(folder.file())
    let context = stack.newBackgroundContext()
    try context.performAndWait {
      let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(books.map { $0.value(forKey: "title") as? String } == ["Emma"])
      #expect(books[0].value(forKeyPath: "author.name") as? String == "Jane")
      #expect(type(of: books[0]) == NSManagedObject.self)
      books[0].setValue("Emma, revised", forKey: "title")
      books[0].setValue(["genre": "essay"], forKey: "genre")
      let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
      author.setValue("Mary", forKey: "name")
      books[0].setValue(author, forKey: "author")
      try context.save()
    }

    let others = ModelContext(models.container)
    let book = try #require(try others.fetch(FetchDescriptor<Book>()).first)
    #expect(book.title == "Emma, revised" && book.genre == .essay && book.author?.name == "Mary")
    #expect(try others.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).map(\.books.count) == [0, 1])
  }

  @Test("The model is that of the container, with another one's entities added")
  func merged() throws {
    let other = NSManagedObjectModel()
    let note = NSEntityDescription()
    note.name = "Note"
    other.entities = [note]
    let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Book.self], mergedWith: other))
    #expect(model.entities.compactMap(\.name).sorted() == ["Author", "Book", "Note"])
    let folder = TemporaryFolder()
    _ = try library(folder.file())
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: .sqlite, at: folder.file())
    let stored = try #require(metadata[NSStoreModelVersionHashesKey] as? [String: Data])
    #expect(stored.allSatisfy { model.entityVersionHashesByName[$0.key] == $0.value })
  }

  @Test("Mirrors show the Core Data objects behind a context, a model and an identity")
  func mirrors() throws {
    func child<T>(_ name: String, of value: Any, _ type: T.Type = T.self) -> T? {
      Mirror(reflecting: value).children.first { $0.label == name }?.value as? T
    }
    let folder = TemporaryFolder()
    let models = try library(folder.file())
    let stack = try #require(child("_nsContext", of: models, NSManagedObjectContext.self))
    let emma = Book(isbn: "1", title: "Emma", pages: 474)
    models.insert(emma)
    try models.save()
    let identity = try #require(child("implementation", of: emma.persistentModelID, AnyObject.self))
    let id = try #require(child("managedObjectID", of: identity, NSManagedObjectID.self))
    #expect(child("entityName", of: identity) == "Book" && child("isTemporary", of: identity) == false)
    let object = try #require(child("_managedObject", of: emma.persistentBackingData, NSManagedObject.self))
    #expect(object.objectID == id && object.managedObjectContext === stack)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'Emma'")
    #expect(try stack.fetch(request) == [object])
  }

  @Test("A managed object model is made of classes in a list or one by one, and of a schema")
  func managedModels() throws {
    let model = try #require(NSManagedObjectModel.makeManagedObjectModel(for: [Book.self]))
    #expect(NSManagedObjectModel.makeManagedObjectModel(for: Book.self, Author.self) == model)
    #expect(NSManagedObjectModel.makeManagedObjectModel(for: Schema([Author.self, Book.self])) == model)
  }
}
