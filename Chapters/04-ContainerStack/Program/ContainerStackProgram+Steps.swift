import ArgumentParser
import ChapterSupport
import ContainerStackChapter
import CoreData
import Foundation
import StepRecorder

/// What the book's stepper shows of this chapter.
extension ContainerStackProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case merge
  }

  @MainActor func recordMerge(_ stack: NotesStack, _ file: NoteFile) async throws {
    let notes = NoteBook(context: stack.viewContext)
    notes.add(title: "Milk", position: 1)
    try stack.saveContext()
    stack.viewContext.reset()
    let background = stack.persistentContainer.newBackgroundContext()
    let steps = try StepRecorder(
      "A merge", contexts: ["viewContext": stack.viewContext, "background": background],
      objects: ["Note": "title"], file: file.url, tables: ["ZNOTE": "Z_PK, Z_OPT, ZTITLE"])

    let seen = try notes.note(at: 1)
    _ = seen?.title
    let edited = try background.performAndWait {
      let note = try NoteBook(context: background).note(at: 1)
      _ = note?.title
      return note
    }
    try steps.frame("Both contexts fetch the note. Each makes an object of its own.")
    background.performAndWait { edited?.title = "Oat milk" }
    try steps.frame("The background context changes its object.")
    try background.performAndWait { try background.save() }
    try steps.frame("The background context saves. The main queue has had no turn yet.")
    // The save has put the merge into the main queue. This block comes after it.
    await stack.viewContext.perform(schedule: .enqueued) {}
    try steps.frame("The main queue has its turn, and the view context merges the save.")
    withExtendedLifetime((seen, edited)) {}
    try stack.close()
  }
}
