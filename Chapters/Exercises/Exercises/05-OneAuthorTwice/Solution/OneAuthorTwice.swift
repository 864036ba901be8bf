import CoreData
import ExerciseSupport

/// An author was entered twice: all of `double`'s books go to `author`, and `double` is deleted. Doesn't save.
func merge(_ double: Author, into author: Author) throws {
  // What matters: a new set replaces all members, so the author would lose the books that were there before.
  //= author.books = double.books
  for book in double.books as? Set<Book> ?? [] { book.author = author }
  double.managedObjectContext?.delete(double)
}
