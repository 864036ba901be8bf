import CoreData

//> policy
/// Version 3 has a writer's name in each book; version 4 has authors. This makes one author
/// for each name, the first time it comes up.
public class BookToBookPolicy: NSEntityMigrationPolicy {
  private var authors: [String: NSManagedObject] = [:]

  public override func createDestinationInstances(
    forSource book: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    // Makes the new book and sets what has a value expression in the mapping.
    try super.createDestinationInstances(forSource: book, in: mapping, manager: manager)
    guard let writer = book.value(forKey: "writer") as? String else { return }
    let new = manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [book]
    ).first
    new?.setValue(author(named: writer, in: manager.destinationContext), forKey: "author")
  }

  private func author(
    named name: String, in context: NSManagedObjectContext
  ) -> NSManagedObject {
    if let author = authors[name] { return author }
    let author = NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
    author.setValue(name, forKey: "name")
    authors[name] = author
    return author
  }
}
//< policy

//> strict-policy
/// The same for a stricter library: a book without a writer ends the migration.
public final class StrictBookPolicy: BookToBookPolicy {
  public override func createDestinationInstances(
    forSource book: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard book.value(forKey: "writer") != nil else {
      throw LibraryFailure("\(book.value(forKey: "title") ?? "A book") has no writer.")
    }
    try super.createDestinationInstances(forSource: book, in: mapping, manager: manager)
  }
}
//< strict-policy
