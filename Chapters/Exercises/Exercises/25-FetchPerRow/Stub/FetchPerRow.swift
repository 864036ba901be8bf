import CoreData
import ExerciseSupport

/// The shop's books by title, for a table that shows its rows without asking the store again.
func booksForTable(in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  // TODO: When this function returns, the authors that the rows show have been read, all of them by one question.
  return try context.fetch(request)
}

/// What a row of the table shows.
func tableRow(_ book: Book) -> String {
  "\(book.title ?? ""), \(book.author?.name ?? "")"
}
