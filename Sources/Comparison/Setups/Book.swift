import CoreData

/// What all set-ups store while they are compared, whatever their chapters store: the same rows in the same columns, or
/// their times could not stand in one table.
///
/// No two books have the same `isbn`, and a book without a `title` is not valid.
#if canImport(ObjectiveC)
@objc(Book)
#endif
public class Book: NSManagedObject {
  @NSManaged public var isbn: String?
  @NSManaged public var title: String?
  @NSManaged public var pages: Int32
  @NSManaged public var stock: Int32

  /// The ISBN of a book by its number.
  public static func isbn(_ number: Int) -> String { BookValues.isbn(number) }

  /// Makes a book; the same number makes the same book.
  @discardableResult
  static func make(_ number: Int, in context: NSManagedObjectContext) -> Book {
    let book = Book(context: context)
    book.isbn = isbn(number)
    book.title = BookValues.title(number)
    book.pages = BookValues.pages(number)
    return book
  }

  static func find(_ number: Int, in context: NSManagedObjectContext) throws -> Book {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "isbn == %@", isbn(number))
    guard let book = try context.fetch(request).first else {
      throw BookValues.missing(number)
    }
    return book
  }
}
