import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import UnsavedChangesChapter

@main
struct UnsavedChangesProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "UnsavedChanges",
    abstract: "Between a change and its save: what the context knows, undo, mistakes, conflicts, drafts.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("break"), help: "Save a change to a recipe that another window has deleted.")
  var breaksSave = false

  @Flag(help: "Follow one recipe from its making to its end, with every callback.")
  var life = false

  @Option(name: .customLong("steps"), help: "Print the frames of the book's stepper: conflict.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--life": life, "--break": breaksSave, "--steps": recording != nil])
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "UnsavedChanges", stores: [RecipeStack.storeName])
    let stack = try RecipeStack(folder: folder)
    let file = RecipeFile(url: folder.appendingPathComponent(RecipeStack.storeName))
    if recording != nil { return try recordConflict(stack, file) }
    if breaksSave { return try showDeletedRecipe(stack, file) }
    if life { return try showLife(stack, file) }

    let recipe = try showKnowledge(stack, file)
    try await showUndo(stack, recipe, file)
    try showMistakes(stack, recipe, file)
    try showConflicts(stack, recipe, file)
    try await showDrafts(stack, recipe, file)
    try showEditions(stack)
    try stack.close()
    Output.line("the closed file holds \(try file.counts())")
  }

  /// A recipe of three ingredients and two tags, not saved.
  @MainActor func addPancakes(_ stack: RecipeStack) throws -> Recipe {
    let cookbook = Cookbook(context: stack.viewContext)
    let recipe = try cookbook.add("Pancakes", tags: ["breakfast", "sweet"])
    cookbook.add(200, "g", "flour", to: recipe)
    cookbook.add(300, "ml", "milk", to: recipe)
    cookbook.add(3, nil, "eggs", to: recipe)
    return recipe
  }

  @MainActor private func showKnowledge(_ stack: RecipeStack, _ file: RecipeFile) throws -> Recipe {
    Output.heading("What the context knows")
    let context = stack.viewContext
    let recipe = try addPancakes(stack)
    Output.line("made:    \(lists(context))")
    try context.save()
    Output.line("saved:   \(lists(context))")

    //> lists
    recipe.name = "Thick pancakes"
    recipe.servings = 6
    context.delete(recipe.ingredientList[2])
    Output.line("changed: \(lists(context))")
    Output.line("  changed values: \(recipe.changedValues().keys.sorted().joined(separator: ", "))")
    context.processPendingChanges()
    Output.line("  processed:      \(recipe.changedValues().keys.sorted().joined(separator: ", "))")
    //< lists

    //> three-views
    recipe.servings = 8
    let saved = recipe.committedValues(forKeys: ["servings"])
    let before = recipe.changedValuesForCurrentEvent()
    Output.line(
      "servings: \(saved["servings"]!) when saved, \(before["servings"]!) before this event, "
        + "\(recipe.servings) now")
    //< three-views
    Output.line("in the file: \(try file.row(of: recipe))")

    //> rollback
    context.rollback()
    Output.line("after rollback(): \(recipe.name ?? "none"), \(recipe.line)")
    //< rollback

    //> equal-value
    recipe.servings = recipe.servings
    Output.line(
      "the same value set again: hasChanges \(context.hasChanges), "
        + "hasPersistentChangedValues \(recipe.hasPersistentChangedValues)")
    //< equal-value
    context.rollback()
    return recipe
  }

  @MainActor func lists(_ context: NSManagedObjectContext) -> String {
    "\(context.insertedObjects.count) inserted, \(context.updatedObjects.count) updated, "
      + "\(context.deletedObjects.count) deleted"
  }
}
