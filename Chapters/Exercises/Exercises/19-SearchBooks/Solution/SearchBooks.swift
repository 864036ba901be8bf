import CoreData
import ExerciseSupport

/// The books that a search field's text finds, by title: it is part of their title, of their author's name or of the
/// name of a customer who ordered them. Case and accents make no difference.
func searchBooks(for text: String, in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  request.predicate = NSPredicate(
    format: "title CONTAINS[cd] %@ "
      // What matters: c and d. People type without the capitals and accents of a title page.
      //= + "OR author.name CONTAINS %@ "
      + "OR author.name CONTAINS[cd] %@ "
      + "OR ANY orders.customer CONTAINS[cd] %@",
    text, text, text)
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  return try context.fetch(request)
}
