import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  /// A recipe from its making to its end, with what the stack tells it on the way.
  @MainActor func showLife(_ stack: RecipeStack, _ file: RecipeFile) throws {
    LifeLog.listener = { Output.line("    \($0)") }
    defer { LifeLog.listener = nil }
    let id = try create(stack, file)
    let recipe = try read(stack, id)
    try refresh(stack, recipe, file)
    try delete(stack, recipe, file)
    try stack.close()
  }

  @MainActor private func create(_ stack: RecipeStack, _ file: RecipeFile) throws -> NSManagedObjectID {
    Output.heading("Create")
    let context = stack.viewContext
    let cookbook = Cookbook(context: context)
    //> create
    let recipe = Recipe(context: context)
    Output.line("made:  \(state(of: recipe))")
    recipe.name = "Waffles"
    let sugar = cookbook.add(50, "g", " sugar ", to: recipe)
    cookbook.add(2, nil, "eggs", to: recipe)
    recipe.addToTags(try cookbook.tag("sweet"))
    try context.save()
    Output.line("saved: \(state(of: recipe))")
    Output.line("the ingredient is called \"\(sugar.name ?? "none")\"")
    Output.line("in the file: \(try file.row(of: recipe))")
    //< create
    return recipe.objectID
  }

  @MainActor private func read(_ stack: RecipeStack, _ id: NSManagedObjectID) throws -> Recipe {
    Output.heading("Read")
    let context = stack.viewContext
    context.reset()
    //> read
    let object = context.object(with: id)
    Output.line("by its id: \(state(of: object))")
    guard let recipe = object as? Recipe else { throw ChapterFailure("It is no recipe.") }
    Output.line("its name:  \(recipe.name ?? "none")")
    Output.line("now:       \(state(of: recipe))")
    Output.line("ingredients read: \(!recipe.hasFault(forRelationshipNamed: "ingredients"))")
    Output.line("all of it: \(recipe.line)")
    Output.line("ingredients read: \(!recipe.hasFault(forRelationshipNamed: "ingredients"))")
    Output.line("asked for again, it is the same object: \(context.object(with: id) === recipe)")
    //< read

    //> turn-back
    context.refresh(recipe, mergeChanges: false)
    Output.line("turned back: \(state(of: recipe)), and the same object still")
    Output.line("its name:    \(recipe.name ?? "none")")
    //< turn-back
    return recipe
  }

  @MainActor private func refresh(_ stack: RecipeStack, _ recipe: Recipe, _ file: RecipeFile) throws {
    Output.heading("Refresh")
    let context = stack.viewContext
    LifeLog.listener = nil
    //> refresh
    let otherWindow = stack.newMainContext()
    (try otherWindow.existingObject(with: recipe.objectID) as? Recipe)?.servings = 12
    try otherWindow.save()

    recipe.notes = "Serve hot."
    Output.line("in the file:     \(try file.row(of: recipe))")
    Output.line("here:            \(recipe.servings) servings, notes \(recipe.notes ?? "none")")
    context.refresh(recipe, mergeChanges: true)
    Output.line("refreshed:       \(recipe.servings) servings, notes \(recipe.notes ?? "none")")
    context.refresh(recipe, mergeChanges: false)
    Output.line("without merging: \(recipe.servings) servings, notes \(recipe.notes ?? "none")")
    //< refresh
    LifeLog.listener = { Output.line("    \($0)") }

    Output.heading("Update")
    //> update
    recipe.servings = 8
    try context.save()
    Output.line("in the file: \(try file.row(of: recipe))")
    try context.save()
    Output.line("saved again: \(try file.row(of: recipe))")
    //< update
  }

  @MainActor private func delete(_ stack: RecipeStack, _ recipe: Recipe, _ file: RecipeFile) throws {
    Output.heading("Delete")
    let context = stack.viewContext
    //> deny
    let sweet = try Cookbook(context: context).tag("sweet")
    context.delete(sweet)
    do {
      try context.save()
    } catch {
      Output.line("save() says \((error as NSError).code)")
      for invalid in InvalidValue.all(in: error) { Output.line("  \(invalid.place)") }
    }
    context.rollback()
    //< deny

    //> delete
    let id = recipe.objectID
    context.delete(recipe)
    Output.line("deleted:   \(state(of: recipe)); in all \(lists(context))")
    context.processPendingChanges()
    Output.line("processed: \(state(of: recipe)); in all \(lists(context))")
    Output.line("in the file: \(try file.counts())")
    try context.save()
    Output.line("saved:     \(state(of: recipe))")
    Output.line("in the file: \(try file.counts())")
    do {
      _ = try context.existingObject(with: id)
    } catch {
      Output.line("asked for again: \((error as NSError).code)")
    }
    //< delete
  }

  //> state
  /// What the stack knows of an object, without reading it.
  @MainActor private func state(of object: NSManagedObject) -> String {
    guard object.managedObjectContext != nil else { return "in no context" }
    let id = object.objectID
    let facts = [
      (object.isInserted, "inserted"), (object.isUpdated, "updated"),
      (object.isDeleted, "deleted"), (object.isFault, "fault"),
      (!object.isFault, "values at hand"), (id.isTemporaryID, "temporary id"),
      (!id.isTemporaryID, "id \(id.uriRepresentation().lastPathComponent)"),
    ]
    return facts.filter(\.0).map(\.1).joined(separator: ", ")
  }
  //< state
}
