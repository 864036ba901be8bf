import CoreData
import Foundation
import StoreFileReader
import TestFiles
import Testing
import UnsavedChangesChapter

@Suite("Chapter 9: unsaved changes", .serialized)
@MainActor
struct UnsavedChangesTests {
  let folder: TemporaryFolder
  let stack: RecipeStack
  let url: URL
  let recipe: Recipe

  private var context: NSManagedObjectContext { stack.viewContext }

  init() throws {
    folder = TemporaryFolder()
    stack = try RecipeStack(folder: folder.url)
    url = folder.url.appendingPathComponent(RecipeStack.storeName)
    let cookbook = Cookbook(context: stack.viewContext)
    recipe = try cookbook.add("Pancakes", tags: ["sweet"])
    cookbook.add(200, "g", "flour", to: recipe)
    cookbook.add(3, nil, "eggs", to: recipe)
    try stack.viewContext.save()
  }

  private func row() throws -> [StoreFileValue] {
    try #require(
      try StoreFileReader(contentsOf: url).rows("SELECT ZNAME, ZSERVINGS, ZNOTES, Z_OPT FROM ZRECIPE").first)
  }

  private func rows(_ table: String) throws -> Int { try StoreFileReader(contentsOf: url).rowCount(of: table) }

  /// Another context saves a change of the recipe, or its deletion, behind this one's back.
  private func elsewhere(_ change: (Recipe, NSManagedObjectContext) -> Void) throws {
    // What this context holds is from before.
    recipe.willAccessValue(forKey: nil)
    let other = stack.newMainContext()
    change(try #require(try other.existingObject(with: recipe.objectID) as? Recipe), other)
    try other.save()
  }

  @Test("Actions are undone and redone one event after the other, members in their order")
  func undo() async throws {
    let editor = RecipeEditor(context: context)
    editor.setServings(6, of: recipe)
    await context.perform(schedule: .enqueued) {}
    editor.action("Delete Flour") { context.delete(recipe.ingredientList[0]) }
    await context.perform(schedule: .enqueued) {}
    #expect(recipe.line == "6 servings: 3 eggs")
    #expect(editor.undoManager.undoActionName == "Delete Flour")
    context.undo()
    #expect(recipe.line == "6 servings: 200 g flour, 3 eggs")
    #expect(editor.undoManager.redoActionName == "Delete Flour")
    context.undo()
    #expect(recipe.line == "4 servings: 200 g flour, 3 eggs")
    #expect(!editor.undoManager.canUndo)
    context.redo()
    context.redo()
    #expect(recipe.line == "6 servings: 3 eggs")
    try stack.close()
  }

  @Test("An action made of actions is undone as one, under the outer name")
  func nested() async throws {
    let editor = RecipeEditor(context: context)
    editor.scale(recipe, by: 2)
    await context.perform(schedule: .enqueued) {}
    #expect(recipe.line == "8 servings: 400 g flour, 6 eggs")
    #expect(editor.undoManager.undoMenuItemTitle == "Undo Scale")
    context.undo()
    #expect(recipe.line == "4 servings: 200 g flour, 3 eggs")
    #expect(!editor.undoManager.canUndo)
    try stack.close()
  }

  @Test("What is done without undo stays when the actions around it are undone")
  func withoutUndo() async throws {
    let editor = RecipeEditor(context: context)
    editor.setServings(6, of: recipe)
    editor.withoutUndo { recipe.notes = "Rest." }
    editor.setServings(7, of: recipe)
    context.undo()
    #expect(recipe.servings == 4 && recipe.notes == "Rest.")
    #expect(!editor.undoManager.canUndo)
    try stack.close()
  }

  @Test("Undo after a save changes the context; the file follows with the next save")
  func undoAfterSave() throws {
    let editor = RecipeEditor(context: context)
    editor.setServings(6, of: recipe)
    try context.save()
    context.undo()
    #expect(try row()[1] == .integer(6))
    #expect(context.hasChanges)
    try context.save()
    #expect(try row()[1] == .integer(4))
    try stack.close()
  }

  @Test("Each mistake of a save is named, and nothing is saved")
  func mistakes() throws {
    recipe.name = ""
    recipe.servings = 25
    recipe.notes = String(repeating: "n", count: 201)
    recipe.ingredientList[0].amount = -1
    recipe.ingredientList[1].name = nil
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == NSValidationMultipleErrorsError)
    let found = InvalidValue.all(in: error).sorted { $0.place < $1.place }
    #expect(found.map(\.code) == [1620, 1570, 1670, 1660, 1610])
    #expect(
      found.map(\.place) == [
        "Ingredient.amount", "Ingredient.name", "Recipe.name", "Recipe.notes", "Recipe.servings",
      ])
    #expect(found[4].advice == "Recipe.servings is too large: 25")
    #expect(recipe.servings == 25)
    #expect(try row() == [.text("Pancakes"), .integer(4), .null, .integer(1)])
    context.rollback()
    try stack.close()
  }

  @Test("Taking the mistakes back leaves the other changes, which can be saved then")
  func takingBack() throws {
    recipe.servings = 0
    recipe.notes = "Serve at once."
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == NSValidationNumberTooSmallError)
    InvalidValue.all(in: error).forEach { $0.takeBack() }
    try context.save()
    #expect(try row() == [.text("Pancakes"), .integer(4), .text("Serve at once."), .integer(2)])
    try stack.close()
  }

  @Test("An error of another kind holds no invalid value and no conflict")
  func otherErrors() {
    let error = NSError(domain: NSCocoaErrorDomain, code: 259)
    #expect(InvalidValue.all(in: error).isEmpty)
    #expect(EditConflict.all(in: error).isEmpty)
  }

  @Test("A conflict says what was read, what is here and what is in the file")
  func conflict() throws {
    try elsewhere { other, _ in
      other.servings = 6
      other.notes = "Less sugar."
    }
    recipe.servings = 8
    recipe.name = "Crêpes"
    let error = try #require(throws: NSError.self) { try context.save() }
    let conflict = try #require(EditConflict.all(in: error).first)
    #expect(conflict.object === recipe)
    #expect(conflict.readVersion == 1 && conflict.storedVersion == 2)
    #expect(conflict.differences.map(\.property) == ["name", "notes", "servings"])
    #expect(conflict.differences.map(\.isContested) == [false, false, true])
    #expect(conflict.message.hasSuffix("; servings is 8 here and 6 in the file."))
    #expect(try row() == [.text("Pancakes"), .integer(6), .text("Less sugar."), .integer(2)])
    context.rollback()
    try stack.close()
  }

  @Test("A deleted row is a conflict with version 0")
  func deletedElsewhere() throws {
    try elsewhere { other, context in context.delete(other) }
    recipe.servings = 8
    let error = try #require(throws: NSError.self) { try context.save() }
    let conflict = try #require(EditConflict.all(in: error).first)
    #expect(conflict.storedVersion == 0)
    #expect(conflict.message.contains("deleted"))
    #expect(try rows("ZINGREDIENT") == 0)
    context.rollback()
    try stack.close()
  }

  @Test("The policy keeps both notes where both wrote some, and one where one did", arguments: [true, false])
  func bothNotes(bothWrite: Bool) throws {
    try elsewhere { other, _ in
      other.notes = "Less sugar."
      other.servings = 6
    }
    recipe.servings = 8
    if bothWrite { recipe.notes = "More salt." }
    context.mergePolicy = KeepBothNotesPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    try context.save()
    let notes = bothWrite ? "Less sugar. More salt." : "Less sugar."
    #expect(try row() == [.text("Pancakes"), .integer(8), .text(notes), .integer(3)])
    #expect(recipe.notes == notes)
    try stack.close()
  }

  @Test("A draft that is let go leaves no trace")
  func discardedDraft() throws {
    weak var context: NSManagedObjectContext?
    do {
      let draft = try RecipeDraft(of: recipe)
      draft.recipe.name = "Burnt"
      draft.context.delete(draft.recipe.ingredientList[0])
      context = draft.context
      #expect(recipe.name == "Pancakes" && recipe.ingredientList.count == 2)
    }
    #expect(context == nil)
    #expect(!stack.viewContext.hasChanges)
    try stack.close()
  }

  @Test("A draft that is kept changes the parent at once, and the file with the parent's save")
  func keptDraft() throws {
    let editor = RecipeEditor(context: context)
    let draft = try RecipeDraft(of: recipe)
    Cookbook(context: draft.context).add(1, "pinch", "salt", to: draft.recipe)
    draft.recipe.name = "Salted pancakes"
    try draft.keep()
    #expect(recipe.name == "Salted pancakes")
    #expect(recipe.ingredientList.map(\.name) == ["flour", "eggs", "salt"])
    #expect(try rows("ZINGREDIENT") == 2)
    try context.save()
    #expect(try rows("ZINGREDIENT") == 3)
    context.undo()
    #expect(recipe.line == "4 servings: 200 g flour, 3 eggs")
    #expect(!editor.undoManager.canUndo)
    try stack.close()
  }

  @Test("A draft that is not valid is not kept, and the parent does not hear of it")
  func invalidDraft() throws {
    let draft = try RecipeDraft(of: recipe)
    draft.recipe.name = nil
    draft.recipe.servings = 9
    let error = try #require(throws: NSError.self) { try draft.keep() }
    #expect(InvalidValue.all(in: error).first?.object === draft.recipe)
    #expect(!context.hasChanges)
    #expect(draft.recipe.servings == 9)
    try stack.close()
  }

  @Test("The program leaves the rows that it says it leaves, each time three ingredients more")
  func program() throws {
    try stack.close()
    let outcome = try ProgramRunner.run("UnsavedChanges", ["--fresh"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.output.hasSuffix("the closed file holds 2 recipes, 3 ingredients, 2 tags\n"))
    #expect(try [rows("ZRECIPE"), rows("ZINGREDIENT"), rows("ZTAG")] == [2, 3, 2])
    let second = try ProgramRunner.run("UnsavedChanges", [], store: folder.url)
    #expect(second.exitCode == 0, "\(second.errors)")
    #expect(try [rows("ZRECIPE"), rows("ZINGREDIENT"), rows("ZTAG")] == [4, 6, 2])
  }

  @Test("A name is saved without the blanks around it, and the save comes to rest")
  func trimmedName() throws {
    let sugar = Cookbook(context: context).add(50, "g", " sugar ", to: recipe)
    try context.save()
    #expect(sugar.name == "sugar")
    #expect(!context.hasChanges)
    let names = try StoreFileReader(contentsOf: url).rows("SELECT ZNAME FROM ZINGREDIENT ORDER BY ZNAME")
    #expect(names == [[.text("eggs")], [.text("flour")], [.text("sugar")]])
    try stack.close()
  }

  @Test("A tag cannot be deleted while a recipe has it, and can be with the recipe")
  func deniedTag() throws {
    let tag = try Cookbook(context: context).tag("sweet")
    context.delete(tag)
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == NSValidationRelationshipDeniedDeleteError)
    #expect(InvalidValue.all(in: error).map(\.place) == ["Tag.recipes"])
    context.delete(recipe)
    try context.save()
    #expect(try [rows("ZRECIPE"), rows("ZINGREDIENT"), rows("ZTAG")] == [0, 0, 0])
    try stack.close()
  }

  @Test("The recipe whose life the program follows is gone at the end, with its ingredients")
  func life() throws {
    try stack.close()
    let outcome = try ProgramRunner.run("UnsavedChanges", ["--fresh", "--life"], store: folder.url)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(try [rows("ZRECIPE"), rows("ZINGREDIENT"), rows("ZTAG")] == [0, 0, 1])
  }

  @Test("After a reset the object is a shell, and its id leads to another")
  func shell() throws {
    let id = recipe.objectID
    context.reset()
    #expect(recipe.managedObjectContext == nil)
    #expect(recipe.name == nil)
    let again = try #require(try context.existingObject(with: id) as? Recipe)
    #expect(again.name == "Pancakes" && again !== recipe)
    try stack.close()
  }

  @Test("A context lets go of what is unchanged, and holds what is changed")
  func weaklyHeld() throws {
    let other = stack.newMainContext()
    var ingredients = try other.fetch(Ingredient.fetchRequest())
    #expect(ingredients.count == 2 && ingredients.allSatisfy(\.isFault))
    ingredients.first { $0.name == "eggs" }?.amount = 4
    ingredients = []
    #expect(other.registeredObjects.compactMap { ($0 as? Ingredient)?.name } == ["eggs"])
    try stack.close()
  }

  @Test("A recipe for more than twelve needs notes, and the error says so in the words of all others")
  func ownRule() throws {
    recipe.servings = 13
    let error = try #require(throws: NSError.self) { try context.save() }
    #expect(error.code == NSManagedObjectValidationError)
    #expect(InvalidValue.all(in: error).map(\.place) == ["Recipe.notes"])
    recipe.notes = "Two pans."
    try context.save()
    try stack.close()
  }

  @Test(
    "Each policy keeps and loses what the chapter says",
    arguments: [
      (NSMergePolicyType.mergeByPropertyStoreTrumpMergePolicyType, "Thick pancakes", 6, "Less sugar."),
      (.mergeByPropertyObjectTrumpMergePolicyType, "Thick pancakes", 6, "More salt."),
      (.overwriteMergePolicyType, "Thick pancakes", 4, "More salt."),
      (.rollbackMergePolicyType, "Pancakes", 6, "Less sugar."),
    ])
  func policies(type: NSMergePolicyType, name: String, servings: Int, notes: String) throws {
    try elsewhere { other, _ in
      other.servings = 6
      other.notes = "Less sugar."
    }
    recipe.name = "Thick pancakes"
    recipe.notes = "More salt."
    context.mergePolicy = NSMergePolicy(merge: type)
    try context.save()
    #expect(try row().prefix(3) == [.text(name), .integer(Int64(servings)), .text(notes)])
    try stack.close()
  }

  @Test("A pinned context reads one edition, deleted rows too, until it is moved on")
  func editions() throws {
    let reader = stack.newMainContext()
    try reader.setQueryGenerationFrom(.current)
    let recipes = try reader.fetch(Recipe.fetchRequest())
    try elsewhere { other, context in context.delete(other) }
    #expect(try rows("ZRECIPE") == 0)

    reader.refreshAllObjects()
    #expect(recipes.first?.isFault == true)
    #expect(recipes.first?.line == "4 servings: 200 g flour, 3 eggs")
    #expect(try reader.count(for: Recipe.fetchRequest()) == 1)

    try reader.setQueryGenerationFrom(.current)
    #expect(try reader.count(for: Recipe.fetchRequest()) == 0)
    try reader.setQueryGenerationFrom(nil)
    #expect(reader.queryGenerationToken == nil)
    try stack.close()
  }
}
