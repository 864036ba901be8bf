import CoreData
import ExerciseSupport

/// Says which template the model does not have.
struct NoSuchTemplate: Error, Equatable {
  let name: String
}

/// The books that a template of the model finds with these values, by title.
///
/// - Throws: `NoSuchTemplate`, and what the fetch throws.
func books(
  _ template: String, with values: [String: Any], in context: NSManagedObjectContext
) throws -> [Book] {
  // TODO: Ask by the model's template, with the values for its variables; a template that isn't there is an error.
  throw Unfinished("the template is filled in with the values, and fetched")
}
