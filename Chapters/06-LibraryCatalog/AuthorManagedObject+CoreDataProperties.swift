import CoreData

extension AuthorManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<AuthorManagedObject> {
    NSFetchRequest<AuthorManagedObject>(entityName: "Author")
  }

  @NSManaged public var name: String?
  @NSManaged public var books: NSSet?
}
