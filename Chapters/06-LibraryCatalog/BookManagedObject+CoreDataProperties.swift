import CoreData

extension BookManagedObject {
  @nonobjc public class func fetchRequest() -> NSFetchRequest<BookManagedObject> {
    NSFetchRequest<BookManagedObject>(entityName: "Book")
  }

  //> book-properties
  /// The same in every import of the same book; see `CatalogRecord.key`.
  @NSManaged public var catalogKey: String?
  @NSManaged public var isbn: String?
  @NSManaged public var title: String?
  /// The title to sort by: without article, case and accents.
  @NSManaged public var titleSort: String?
  /// The authors in the title page's order, with semicolons between them.
  @NSManaged public var authorLine: String?
  @NSManaged public var authorSort: String?
  /// The year, negative before our era; nil if unknown, which a scalar could not say.
  @NSManaged public var firstPublished: NSNumber?
  @NSManaged public var language: String?
  @NSManaged public var authors: NSSet?
  @NSManaged public var subjects: NSSet?
  //< book-properties
}
