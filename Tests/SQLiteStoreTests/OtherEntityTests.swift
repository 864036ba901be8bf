import Foundation
import TestFiles
import Testing

@testable import CoreData

/// A damaged file, or an id that was made from a URI, may say that a row is of another entity of its hierarchy than it
/// is. The words of a row mean different things in each, and so no object ever has a row of another entity.
@Suite("Rows of another entity than a reference says")
struct OtherEntityTests {
  private let folder = TemporaryFolder()

  private static let model: NSManagedObjectModel = {
    let model = ModelBuilder()
    model.entity("Book", [attribute("title", .stringAttributeType)])
    model.entity(
      "Novel", [attribute("genre", .stringAttributeType), attribute("place", .stringAttributeType)], parent: "Book")
    model.entity("Chapter", [attribute("number", .integer32AttributeType)])
    model.relate(.one("Chapter", "book"), .many("Book", "chapters"))
    return model.make()
  }()

  private func open(_ type: String, _ url: URL) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Self.model)
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A book with a chapter. Returns the book's id.
  private func fill(_ context: NSManagedObjectContext) throws -> NSManagedObjectID {
    try context.performAndWait {
      let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
      book.setValue("Dune", forKey: "title")
      let chapter = NSEntityDescription.insertNewObject(forEntityName: "Chapter", into: context)
      chapter.setValue(book, forKey: "book")
      try context.save()
      let id = book.objectID
      context.reset()
      return id
    }
  }

  private func first(_ entity: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
    try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).first)
  }

  private func check(_ error: NSError?) {
    let text = error?.localizedDescription ?? "none"
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(text.contains("/Novel/p1") && text.contains("is one of Book"), "\(text)")
  }

  @Test(
    "A key under the wrong entity throws an error that names both, and the row's own object is whole, whoever is first",
    arguments: [true, false], [true, false])
  func reference(_ startsWithBook: Bool, _ isChild: Bool) throws {
    let url = folder.file("S.sqlite")
    let filled = try open(NSSQLiteStoreType, url)
    _ = try fill(filled)
    for store in filled.persistentStoreCoordinator!.persistentStores {
      try filled.persistentStoreCoordinator!.remove(store)
    }
    _ = try query("UPDATE ZCHAPTER SET Z1_BOOK = (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Novel')", at: url)
    var context = try open(NSSQLiteStoreType, url)
    if isChild {
      let parent = context
      context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      context.parent = parent
    }
    try context.performAndWait {
      let before = startsWithBook ? try first("Book", context) : nil
      let novel = try #require(try first("Chapter", context).value(forKey: "book") as? NSManagedObject)
      #expect(novel.entity.name == "Novel")
      check(#expect(throws: NSError.self) { try context.fulfil([novel]) })
      let book = try first("Book", context)
      #expect(book.entity.name == "Book" && book.value(forKey: "title") as? String == "Dune")
      if let before { #expect(before.value(forKey: "title") as? String == "Dune") }
      check(#expect(throws: NSError.self) { try context.fulfil([novel]) })
      book.setValue("Emma", forKey: "title")
      try context.save()
      #expect(book.value(forKey: "title") as? String == "Emma")
    }
  }

  @Test(
    "An id that was made from a URI with the wrong entity is of no object",
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType, NSXMLStoreType, NSBinaryStoreType])
  func uri(_ type: String) throws {
    let context = try open(type, folder.file("S"))
    let id = try fill(context)
    let text = id.uriRepresentation().absoluteString.replacingOccurrences(of: "/Book/", with: "/Novel/")
    let uri = try #require(URL(string: text))
    let other = try #require(context.persistentStoreCoordinator!.managedObjectID(forURIRepresentation: uri))
    try context.performAndWait {
      check(#expect(throws: NSError.self) { try context.existingObject(with: other) })
      let book = try context.existingObject(with: id)
      #expect(book.value(forKey: "title") as? String == "Dune")
    }
  }
}
