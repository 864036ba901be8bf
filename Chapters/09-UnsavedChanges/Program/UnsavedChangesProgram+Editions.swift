import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  /// A context keeps reading one state of the file while another one saves.
  @MainActor func showEditions(_ stack: RecipeStack) throws {
    Output.heading("Yesterday's newspaper")
    let request = Recipe.fetchRequest()
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    //> pin
    let reader = stack.newMainContext()
    try reader.setQueryGenerationFrom(.current)
    let recipes = try reader.fetch(request)
    Output.line("first read:    \(names(recipes))")

    let otherWindow = stack.newMainContext()
    if let waffles = recipes.last {
      otherWindow.delete(try otherWindow.existingObject(with: waffles.objectID))
    }
    try Cookbook(context: otherWindow).add("Crêpes")
    try otherWindow.save()
    Output.line("in the file:   \(names(try otherWindow.fetch(request)))")
    //< pin

    //> read-again
    reader.refreshAllObjects()
    Output.line("turned into:   \(Output.count(recipes.filter(\.isFault).count, "fault"))")
    Output.line("read again:    \(names(recipes))")
    Output.line("fetched again: \(names(try reader.fetch(request)))")
    //< read-again

    //> move-on
    try reader.setQueryGenerationFrom(.current)
    Output.line("next edition:  \(names(try reader.fetch(request)))")
    try reader.setQueryGenerationFrom(nil)
    //< move-on
  }

  private func names(_ recipes: [Recipe]) -> String {
    recipes.compactMap(\.name).joined(separator: ", ")
  }
}
