import CoreData
import ExerciseSupport

/// The authors of these names, by name: those that the shop has, and new ones for the rest. Does not save.
///
/// - Parameter names: A batch as it comes in a file; a name may be in it several times.
func findOrCreateAuthors(named names: [String], in context: NSManagedObjectContext) throws -> [String: Author] {
  // TODO: Give each name one author, and ask the store one single time for the whole batch.
  throw Unfinished("each name has one author, found or made, with one fetch")
}
