import CoreData
import ExerciseSupport

/// The titles of those books whose values are in memory already, sorted. Reads nothing from the file.
func titlesInMemory(_ books: [Book]) throws -> [String] {
  // What matters: asking a fault for its title reads it, so you have to ask before that whether it is one.
  //= books.filter { $0.title != nil }.compactMap(\.title).sorted()
  books.filter { !$0.isFault }.compactMap(\.title).sorted()
}
