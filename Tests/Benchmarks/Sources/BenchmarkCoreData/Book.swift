import CoreData

public class Book: NSManagedObject {
  @NSManaged public var title: String
  @NSManaged public var author: String
  @NSManaged public var isbn: String
  @NSManaged public var pages: Int32
  @NSManaged public var price: Double
  @NSManaged public var published: Date
  @NSManaged public var inPrint: Bool
  @NSManaged public var writer: Author?

  public class func fetchRequest() -> NSFetchRequest<Book> {
    NSFetchRequest<Book>(entityName: "Book")
  }
}
