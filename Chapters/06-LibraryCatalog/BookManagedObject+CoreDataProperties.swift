import CoreData

//> book-properties
extension BookManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<BookManagedObject> {
    NSFetchRequest<BookManagedObject>(entityName: "Book")
  }

  /// What makes the book one and the same in two imports; see `CatalogRecord.key`.
  @NSManaged public var catalogKey: String?
  @NSManaged public var isbn: String?
  @NSManaged public var title: String?
  /// `title` as it is sorted: without article, case and accents.
  @NSManaged public var titleSort: String?
  /// The authors as the title page has them, parted by semicolons: a relationship has no order.
  @NSManaged public var authorLine: String?
  @NSManaged public var authorSort: String?
  /// The year, negative before our era; nil if unknown. A scalar could not say that.
  @NSManaged public var firstPublished: NSNumber?
  @NSManaged public var language: String?
  @NSManaged public var authors: NSSet?
  @NSManaged public var subjects: NSSet?
}
//< book-properties
