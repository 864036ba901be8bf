import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import StepRecorder
import UnsavedChangesChapter

/// What the book's stepper shows of this chapter.
extension UnsavedChangesProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case conflict
  }

  @MainActor func recordConflict(_ stack: RecipeStack, _ file: RecipeFile) throws {
    let here = stack.viewContext
    let recipe = try Cookbook(context: here).add("Pancakes", servings: 4)
    try here.save()
    let there = stack.newMainContext()
    let steps = try StepRecorder(
      "A conflict, settled by property", contexts: ["here": here, "there": there],
      objects: ["Recipe": "name, servings, notes"], file: file.url,
      tables: ["ZRECIPE": "Z_PK, Z_OPT, ZNAME, ZSERVINGS, ZNOTES"])
    guard let other = try there.existingObject(with: recipe.objectID) as? Recipe else { return }
    try steps.frame("Two windows show the same recipe.")
    recipe.name = "Thick pancakes"
    recipe.notes = "More salt."
    other.servings = 6
    other.notes = "Less sugar."
    try steps.frame("You change the name here, the servings there, and the notes in both.")
    try there.save()
    try steps.frame("The window there saves first.")
    do {
      try here.save()
      throw ChapterFailure("The recipe was saved to \(file.url.path) without a conflict.")
    } catch let error as NSError where error.domain == NSCocoaErrorDomain {
      try steps.frame("You save here, and `save()` throws \(error.code). Nothing is written, and nothing is forgotten.")
    }
    here.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try here.save()
    try steps.frame("You save again, with the policy `mergeByPropertyObjectTrump`.")
    withExtendedLifetime((recipe, other)) {}
    try stack.close()
  }
}
