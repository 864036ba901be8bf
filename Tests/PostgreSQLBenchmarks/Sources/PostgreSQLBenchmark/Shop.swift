import CoreData

final class Book: NSManagedObject {
  @NSManaged var title: String
  @NSManaged var isbn: String
  @NSManaged var pages: Int32
  @NSManaged var price: Double
  @NSManaged var published: Double
  @NSManaged var inPrint: Bool
  @NSManaged var writer: Author?
}

final class Author: NSManagedObject {
  @NSManaged var name: String
  @NSManaged var books: Set<Book>?
}
