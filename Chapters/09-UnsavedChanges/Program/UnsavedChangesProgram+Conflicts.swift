import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  //> collide
  /// Two windows read the same recipe. The name is changed here, the servings there, the notes in
  /// both, and the other window saves first.
  @MainActor private func collide(_ stack: RecipeStack, _ recipe: Recipe) throws {
    recipe.name = "Pancakes"
    recipe.servings = 4
    recipe.notes = nil
    try stack.viewContext.save()

    let otherWindow = stack.newMainContext()
    guard let other = try otherWindow.existingObject(with: recipe.objectID) as? Recipe else {
      return
    }
    other.servings = 6
    other.notes = "Less sugar."
    try otherWindow.save()

    recipe.name = "Thick pancakes"
    recipe.notes = "More salt."
  }
  //< collide

  @MainActor func showConflicts(_ stack: RecipeStack, _ recipe: Recipe, _ file: RecipeFile) throws {
    Output.heading("Two windows, one recipe")
    let context = stack.viewContext
    try collide(stack, recipe)
    //> conflict
    do {
      try context.save()
    } catch {
      Output.line("save() says \((error as NSError).code)")
      for conflict in EditConflict.all(in: error) {
        let (read, stored) = (conflict.readVersion, conflict.storedVersion)
        Output.line("version \(read) was read, version \(stored) is in the file")
        Output.table(
          [["", "read", "here", "in the file"]]
            + conflict.differences.map { [$0.property, $0.read, $0.here, $0.stored] })
      }
    }
    //< conflict
    Output.line("still unsaved: \(lists(context)); \(recipe.name ?? "none")")
    Output.line("in the file:   \(try file.row(of: recipe))")

    Output.heading("Five policies")
    //> policies
    context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try context.save()
    Output.line("store trumps, by property:  \(try file.row(of: recipe))")

    let policies: [(String, NSMergePolicy)] = [
      ("object trumps, by property:", .mergeByPropertyObjectTrump),
      ("overwrite:                 ", .overwrite),
      ("rollback:                  ", .rollback),
      (
        "our own, keeps both notes: ",
        KeepBothNotesPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
      ),
    ]
    for (name, policy) in policies {
      try collide(stack, recipe)
      context.mergePolicy = policy
      try context.save()
      Output.line("\(name) \(try file.row(of: recipe))")
    }
    //< policies
    context.mergePolicy = NSMergePolicy.error
    Output.line("and the object in memory has notes \(recipe.notes ?? "none")")
  }

  /// The other window deletes the recipe that this one changes. No policy is asked: the program ends with the
  /// conflict.
  @MainActor func showDeletedRecipe(_ stack: RecipeStack, _ file: RecipeFile) throws {
    Output.heading("A recipe that another window deleted")
    let recipe = try addPancakes(stack)
    try stack.viewContext.save()
    let before = try file.counts()
    recipe.servings = 6

    let otherWindow = stack.newMainContext()
    otherWindow.delete(try otherWindow.existingObject(with: recipe.objectID))
    try otherWindow.save()
    do {
      try stack.viewContext.save()
    } catch {
      Output.line("save() says \((error as NSError).code)")
      Output.line("still unsaved: \(lists(stack.viewContext)); \(recipe.servings) servings")
      Output.line("in the file:   \(try file.counts()) (before: \(before))")
      for conflict in EditConflict.all(in: error) {
        let (read, stored) = (conflict.readVersion, conflict.storedVersion)
        Output.line("version \(read) was read, version \(stored) is in the file")
        throw ChapterFailure(conflict.message)
      }
      throw error
    }
    throw ChapterFailure("A recipe that had been deleted was saved to \(file.url.path).")
  }
}
