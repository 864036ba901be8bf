import CoreData

/// A recipe on a sheet of its own: its changes stay on the sheet until `keep()`.
public final class RecipeDraft {
  public let context: NSManagedObjectContext
  /// The draft's own object of the recipe.
  public let recipe: Recipe

  //> draft
  /// Opens a recipe, an object of a main-queue context, for editing.
  ///
  /// - Throws: If the recipe is gone.
  public init(of original: Recipe) throws {
    context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.parent = original.managedObjectContext
    // The same id, so the same class.
    recipe = try context.existingObject(with: original.objectID) as! Recipe
  }

  /// Hands the changes to the parent, which has them unsaved then. Throws if they are not valid.
  public func keep() throws {
    if context.hasChanges { try context.save() }
  }
  //< draft
}
