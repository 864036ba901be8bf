import CoreData
import ExerciseSupport

/// A context for the main queue, over a SQLite file at `url` that keeps the objects of `model`.
///
/// The context holds its coordinator, and the coordinator holds model and store: hold the context, and you have all
/// four.
func makeFourParts(model: NSManagedObjectModel, at url: URL) throws -> NSManagedObjectContext {
  // TODO: Make the parts and connect them, so that the context can save to the file.
  throw Unfinished("the context for the main queue has a coordinator with a SQLite store")
}
