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
  let model = context.persistentStoreCoordinator?.managedObjectModel
  guard let request = model?.fetchRequestFromTemplate(withName: template, substitutionVariables: values) else {
    // What matters: a misspelt name is nil. An empty list would look like a shop without books.
    //= return []
    throw NoSuchTemplate(name: template)
  }
  request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
  return try context.fetch(request) as? [Book] ?? []
}
