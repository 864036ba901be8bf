import CoreData

#if canImport(ObjectiveC)
@objc(Author)
#endif
public class Author: NSManagedObject {
  @NSManaged public var name: String?
  @NSManaged public var books: Set<Book>
}

#if canImport(ObjectiveC)
@objc(Book)
#endif
public class Book: NSManagedObject {
  @NSManaged public var title: String?
  @NSManaged public var pages: Int32
  @NSManaged public var isLent: Bool
  @NSManaged public var price: NSDecimalNumber?
  @NSManaged public var added: Date?
  @NSManaged public var author: Author?
}

/// The row over which writers quarrel, as in chapter 7.
#if canImport(ObjectiveC)
@objc(Tally)
#endif
public class Tally: NSManagedObject {
  @NSManaged public var name: String?
  @NSManaged public var total: Int64

  /// The tally of that name in `context`. It must exist.
  public static func named(_ name: String, in context: NSManagedObjectContext) throws -> Tally {
    let request = NSFetchRequest<Tally>(entityName: "Tally")
    request.predicate = NSPredicate(format: "name == %@", name)
    guard let tally = try context.fetch(request).first else { throw CocoaError(.validationMissingMandatoryProperty) }
    return tally
  }
}
