import CoreData
import ExerciseSupport

/// The other books that have a genre in common with this one, each once, by title.
func booksLike(_ book: Book) throws -> [Book] {
  var found = Set<Book>()
  for genre in book.genres as? Set<Genre> ?? [] { found.formUnion(genre.books as? Set<Book> ?? []) }
  // What matters: a relationship leads back, too. This book is on each of its genres.
  //= found.formUnion([])
  found.remove(book)
  return found.sorted { ($0.title ?? "") < ($1.title ?? "") }
}
