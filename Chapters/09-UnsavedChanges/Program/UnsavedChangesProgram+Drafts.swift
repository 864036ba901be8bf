import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  @MainActor func showDrafts(_ stack: RecipeStack, _ recipe: Recipe, _ file: RecipeFile) async throws {
    Output.heading("A draft that is thrown away")
    let context = stack.viewContext
    //> thrown-away
    do {
      let draft = try RecipeDraft(of: recipe)
      draft.recipe.name = "Burnt pancakes"
      Cookbook(context: draft.context).add(1, "handful", "ash", to: draft.recipe)
      Output.line("the draft:  \(draft.recipe.name ?? "none"), \(draft.recipe.line)")
      Output.line("the parent: \(recipe.name ?? "none"), \(recipe.line)")
    }
    // The draft is let go of here. That is all that Cancel has to do.
    Output.line("the parent has changes: \(context.hasChanges)")
    //< thrown-away

    Output.heading("A draft that is kept")
    let editor = RecipeEditor(context: context)
    //> kept
    let draft = try RecipeDraft(of: recipe)
    draft.recipe.name = nil
    Cookbook(context: draft.context).add(1, "pinch", "salt", to: draft.recipe)
    do {
      try draft.keep()
    } catch {
      for invalid in InvalidValue.all(in: error) { Output.line("not yet: \(invalid.advice)") }
    }
    draft.recipe.name = "Salted pancakes"
    try draft.keep()
    editor.undoManager.setActionName("Edit Recipe")
    Output.line("kept, the parent: \(recipe.name ?? "none"), \(recipe.line)")
    Output.line("  \(lists(context)); in the file: \(try file.counts())")
    try context.save()
    Output.line("saved, in the file: \(try file.counts())")
    //< kept

    //> undo-draft
    Output.line("[\(editor.undoManager.undoMenuItemTitle)]")
    context.undo()
    Output.line("undone, the parent: \(recipe.name ?? "none"), \(recipe.line)")
    Output.line("  \(lists(context))")
    try context.save()
    Output.line("saved, in the file: \(try file.counts())")
    //< undo-draft
    context.undoManager = nil
  }
}
