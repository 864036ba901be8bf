import CoreData
import ExerciseSupport

/// The titles of those books whose values are in memory already, sorted. Reads nothing from the file.
func titlesInMemory(_ books: [Book]) throws -> [String] {
  // TODO: Leave out the books that would have to be read first.
  throw Unfinished("the titles of the books that are not faults are known, and the faults are still faults")
}
