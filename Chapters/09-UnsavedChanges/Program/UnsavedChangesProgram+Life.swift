import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  /// A recipe from its making to its end, with what the stack tells it on the way.
  @MainActor func showLife(_ stack: RecipeStack, _ file: RecipeFile) throws {
    LifeLog.listener = { Output.line("    \($0)") }
    defer { LifeLog.listener = nil }
    let made = try create(stack, file)
    let recipe = try read(stack, made)
    try showSources(stack, recipe)
    try refresh(stack, recipe, file)
    try delete(stack, recipe, file)
    try stack.close()
  }

  @MainActor private func create(_ stack: RecipeStack, _ file: RecipeFile) throws -> Recipe {
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
    return recipe
  }

  @MainActor private func read(_ stack: RecipeStack, _ made: Recipe) throws -> Recipe {
    Output.heading("Reset")
    let context = stack.viewContext
    //> reset
    let id = made.objectID
    context.reset()
    Output.line("the old object: \(state(of: made))")
    Output.line("its name:       \(made.name ?? "none")")
    Output.line("its id still finds: \((context.object(with: id) as? Recipe)?.name ?? "nothing")")
    Output.line("and that is the same object: \(context.object(with: id) === made)")
    //< reset
    context.reset()
    Output.heading("Read")
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

  /// Where a fault gets its values: the file, the row cache, or the fetch that brought it.
  @MainActor private func showSources(_ stack: RecipeStack, _ recipe: Recipe) throws {
    Output.heading("Where the values come from")
    LifeLog.listener = nil
    defer { LifeLog.listener = { Output.line("    \($0)") } }
    //> sources
    let otherWindow = stack.newMainContext()
    let other = otherWindow.object(with: recipe.objectID) as? Recipe
    Output.line("another window's object: \(other?.isFault == true ? "a fault" : "values at hand")")
    Output.line("its name: \(other?.name ?? "none")")

    var ingredients = try otherWindow.fetch(Ingredient.fetchRequest())
    Output.line("fetched: \(Output.count(ingredients.filter(\.isFault).count, "fault"))")
    Output.line("names:   \(ingredients.compactMap(\.name).sorted().joined(separator: ", "))")
    //< sources

    //> held
    Output.line("the context knows \(Output.count(otherWindow.registeredObjects.count, "object"))")
    ingredients.first { $0.name == "eggs" }?.amount = 3
    ingredients = []
    Output.line("and now           \(Output.count(otherWindow.registeredObjects.count, "object"))")
    //< held
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
