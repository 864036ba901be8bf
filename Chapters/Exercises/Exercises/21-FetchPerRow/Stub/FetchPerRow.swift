import CoreData
import ExerciseSupport

/// The shop's books by title, for a table: to show a row, the store need not be asked again.
func booksForTable(in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  // TODO: Make it true that the authors that the rows show have been read when this function returns.
  return try context.fetch(request)
}

/// What a row of the table shows.
func tableRow(_ book: Book) -> String {
  "\(book.title ?? ""), \(book.author?.name ?? "")"
}
