import ChapterSupport
import CoreData
import UnsavedChangesChapter

extension UnsavedChangesProgram {
  @MainActor func showMistakes(_ stack: RecipeStack, _ recipe: Recipe, _ file: RecipeFile) throws {
    Output.heading("One mistake")
    let context = stack.viewContext
    //> one-mistake
    recipe.name = nil
    recipe.servings = 6
    do {
      try context.save()
    } catch {
      Output.line("save() says \((error as NSError).code)")
      for invalid in InvalidValue.all(in: error) { Output.line("  \(invalid.advice)") }
    }
    Output.line("still unsaved: \(lists(context)); \(recipe.servings) servings")
    Output.line("in the file:   \(try file.row(of: recipe))")
    recipe.name = "Pancakes"
    try context.save()
    Output.line("fixed:         \(try file.row(of: recipe))")
    //< one-mistake

    Output.heading("A rule of your own")
    //> crowd
    recipe.servings = 16
    recipe.notes = nil
    do {
      try context.save()
    } catch {
      Output.line("save() says \((error as NSError).code): \(error.localizedDescription)")
      for invalid in InvalidValue.all(in: error) { Output.line("  \(invalid.advice)") }
    }
    //< crowd
    context.rollback()

    Output.heading("Three mistakes at once, and a recipe without any")
    let before = try file.counts()
    //> three-mistakes
    recipe.name = ""
    recipe.servings = 0
    recipe.notes = "Serve at once."
    recipe.ingredientList[0].amount = -200
    try Cookbook(context: context).add("Waffles", servings: 2, tags: ["sweet"])
    //< three-mistakes
    do {
      try context.save()
    } catch {
      Output.line("save() says \((error as NSError).code)")
      //> fix-all
      let mistakes = InvalidValue.all(in: error).sorted { $0.place < $1.place }
      for invalid in mistakes { Output.line("  \(invalid.advice) (\(invalid.code))") }
      Output.line("still unsaved: \(lists(context))")
      Output.line("in the file:   \(try file.counts()) (before: \(before))")
      for invalid in mistakes { invalid.takeBack() }
      try context.save()
      //< fix-all
    }
    Output.line("fixed:         \(try file.counts())")
    Output.line("               \(try file.row(of: recipe))")
  }
}
