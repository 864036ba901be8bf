import CoreData

public class Author: NSManagedObject {
  @NSManaged public var name: String
  @NSManaged public var books: Set<Book>?

  public class func fetchRequest() -> NSFetchRequest<Author> {
    NSFetchRequest<Author>(entityName: "Author")
  }
}
