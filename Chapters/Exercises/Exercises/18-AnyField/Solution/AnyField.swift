import CoreData
import ExerciseSupport

/// The fields of a book that the search knows.
enum SearchField: String, CaseIterable {
  case title, isbn
  case author = "author.name"
}

/// The books whose field contains a text, by title. Case and accents make no difference.
func books(_ field: SearchField, contains text: String, in context: NSManagedObjectContext) throws -> [Book] {
  let request = NSFetchRequest<Book>(entityName: "Book")
  // What matters: a key goes in by %K. By %@ it would be a text, and the word "title" contains no title.
  //= request.predicate = NSPredicate(format: "%@ CONTAINS[cd] %@", field.rawValue, text)
  request.predicate = NSPredicate(format: "%K CONTAINS[cd] %@", field.rawValue, text)
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  return try context.fetch(request)
}
