import CoreData

/// The class that every set-up stores while it is compared, whatever its chapter stores. Only with the same rows and
/// columns can the times stand in one table.
///
/// `isbn` is unique, and `title` is mandatory.
#if canImport(ObjectiveC)
@objc(Book)
#endif
public class Book: NSManagedObject {
  @NSManaged public var isbn: String?
  @NSManaged public var title: String?
  @NSManaged public var pages: Int32
  @NSManaged public var stock: Int32

  /// The ISBN of the book with a number.
  public static func isbn(_ number: Int) -> String { BookValues.isbn(number) }

  /// Makes the book with a number. The same number makes the same book.
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
