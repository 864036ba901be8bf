import CoreData

/// Where books are read and changed: a managed object context, or its counterpart in another framework. Use it on the
/// queue that hands it out.
public protocol BookContext {
  /// The context whose saves and queue are observed.
  var managedContext: NSManagedObjectContext { get }

  /// The book with a number.
  ///
  /// - Throws: `ComparisonFailure` if there is none.
  func book(_ number: Int) throws -> any StoredBook

  /// Makes the book with a number. The same number makes the same book.
  func makeBook(_ number: Int)

  func bookCount() throws -> Int

  /// The titles of the first books, ordered by ISBN.
  func firstTitles(_ limit: Int) throws -> [String]

  /// Discards unsaved changes.
  func rollback()

  /// Reads a book's row again, if the framework has a call for that.
  func reread(_ book: any StoredBook)
}

/// A book in a ``BookContext``.
public protocol StoredBook: AnyObject {
  var pages: Int32 { get set }
  var stock: Int32 { get set }
  var hasUnsavedChanges: Bool { get }
}

/// The values of a book by its number, the same for every framework.
public enum BookValues {
  public static func isbn(_ number: Int) -> String {
    let digits = String(number)
    return "978-" + String(repeating: "0", count: max(0, 9 - digits.count)) + digits
  }

  public static func title(_ number: Int) -> String { "The book of number \(number), and what it counts" }

  public static func pages(_ number: Int) -> Int32 { Int32(100 + number % 700) }

  public static func missing(_ number: Int) -> ComparisonFailure {
    ComparisonFailure("The book with ISBN \(isbn(number)) is not in the store.")
  }
}

extension Book: StoredBook {
  public var hasUnsavedChanges: Bool { hasPersistentChangedValues }
}

extension NSManagedObjectContext: BookContext {
  public var managedContext: NSManagedObjectContext { self }

  public func book(_ number: Int) throws -> any StoredBook { try Book.find(number, in: self) }

  public func makeBook(_ number: Int) { Book.make(number, in: self) }

  public func bookCount() throws -> Int { try count(for: NSFetchRequest<Book>(entityName: "Book")) }

  public func firstTitles(_ limit: Int) throws -> [String] {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "isbn", ascending: true)]
    request.fetchLimit = limit
    return try fetch(request).compactMap(\.title)
  }

  public func reread(_ book: any StoredBook) {
    if let object = book as? NSManagedObject { refresh(object, mergeChanges: true) }
  }
}
