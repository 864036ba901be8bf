import CoreData

/// Changes to recipes, each with a name and a way back.
public final class RecipeEditor {
  public let context: NSManagedObjectContext
  public let undoManager: UndoManager

  //> undo-manager
  /// Gives `context` an undo manager: a container's contexts come without one.
  public init(context: NSManagedObjectContext) {
    self.context = context
    undoManager = UndoManager()
    context.undoManager = undoManager
  }
  //< undo-manager

  //> action
  /// Runs `change` as one action of that name. Actions may be nested: the outermost is what Undo
  /// takes back.
  public func action(_ name: String, _ change: () throws -> Void) rethrows {
    // What came before is registered before, in the group where it belongs.
    context.processPendingChanges()
    undoManager.beginUndoGrouping()
    defer {
      // The context registers an event at its end; the group should not be closed before.
      context.processPendingChanges()
      undoManager.setActionName(name)
      undoManager.endUndoGrouping()
    }
    try change()
  }
  //< action

  //> scale
  public func setServings(_ servings: Int16, of recipe: Recipe) {
    action("Change Servings") { recipe.servings = servings }
  }

  /// The servings and all amounts: many changes, one action.
  public func scale(_ recipe: Recipe, by factor: Int16) {
    action("Scale") {
      setServings(recipe.servings * factor, of: recipe)
      for ingredient in recipe.ingredientList {
        action("Change Amount") { ingredient.amount *= Double(factor) }
      }
    }
  }
  //< scale

  //> without-undo
  /// Runs `change` so that Undo does not know of it.
  public func withoutUndo(_ change: () throws -> Void) rethrows {
    context.processPendingChanges()
    undoManager.disableUndoRegistration()
    defer {
      context.processPendingChanges()
      undoManager.enableUndoRegistration()
    }
    try change()
  }
  //< without-undo
}
