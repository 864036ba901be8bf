import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  @MainActor func showUndo(_ stack: RecipeStack, _ recipe: Recipe, _ file: RecipeFile) async throws {
    Output.heading("Undo and redo")
    let context = stack.viewContext
    Output.line("the container's context has an undo manager: \(context.undoManager != nil)")
    let editor = RecipeEditor(context: context)

    //> three-actions
    editor.action("Rename") { recipe.name = "Thick pancakes" }
    await nextEvent(context)
    editor.setServings(6, of: recipe)
    await nextEvent(context)
    editor.action("Delete Milk") { context.delete(recipe.ingredientList[1]) }
    await nextEvent(context)
    show("three events", recipe, editor)
    context.undo()
    show("undo()", recipe, editor)
    context.undo()
    show("undo()", recipe, editor)
    context.redo()
    show("redo()", recipe, editor)
    //< three-actions

    Output.heading("Two actions in one event, one action of many, and none")
    //> one-event
    editor.setServings(5, of: recipe)
    editor.action("Rename") { recipe.name = "Crêpes" }
    show("two actions", recipe, editor)
    context.undo()
    show("undo()", recipe, editor)
    //< one-event

    //> one-action
    editor.scale(recipe, by: 2)
    await nextEvent(context)
    show("scale", recipe, editor)
    context.undo()
    show("undo()", recipe, editor)
    //< one-action

    //> quietly
    editor.withoutUndo { recipe.notes = "Let the batter rest." }
    show("without undo", recipe, editor)
    //< quietly

    Output.heading("Undo after a save")
    //> undo-saved
    try context.save()
    Output.line("saved:  \(try file.row(of: recipe))")
    context.undo()
    Output.line("undo(): \(try file.row(of: recipe)); hasChanges \(context.hasChanges)")
    try context.save()
    Output.line("saved:  \(try file.row(of: recipe))")
    //< undo-saved
    context.undoManager = nil
  }

  //> next-event
  /// Lets the event end, as it does when a program with windows waits for the next click: the
  /// main queue gets to its next block.
  @MainActor private func nextEvent(_ context: NSManagedObjectContext) async {
    await context.perform(schedule: .enqueued) {}
  }
  //< next-event

  @MainActor private func show(_ what: String, _ recipe: Recipe, _ editor: RecipeEditor) {
    let manager = editor.undoManager
    let titles = [
      manager.canUndo ? manager.undoMenuItemTitle : nil, manager.canRedo ? manager.redoMenuItemTitle : nil,
    ]
    Output.line("\(what): \(recipe.name ?? "none"), \(recipe.line)")
    Output.line("  [\(titles.compactMap { $0 }.joined(separator: "] ["))]")
  }
}
