import ArgumentParser
import ChapterSupport
import ContainerStackChapter
import CoreData
import Foundation

@main
struct ContainerStackProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ContainerStack",
    abstract: "The stack in one property: NSPersistentContainer, its view context and a background context.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("break"), help: "Save a note without its title, and read the error.")
  var breaksSave = false

  @Flag(name: .customLong("merging"), help: "Only what one context hears of another's saves.")
  var showsMergingOnly = false

  @Option(name: .customLong("steps"), help: "Print the frames of the book's stepper: merge.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--merging": showsMergingOnly, "--break": breaksSave, "--steps": recording != nil])
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "ContainerStack", stores: [NotesStack.storeName])
    let file = NoteFile(url: folder.appendingPathComponent(NotesStack.storeName))
    if !breaksSave, !showsMergingOnly, recording == nil {
      showDefaults()
      await showHandler()
    }
    let stack = NotesStack(folder: folder)
    let notes = NoteBook(context: stack.viewContext)
    if let failure = stack.loadingFailure { throw failure }
    if recording != nil { return try await recordMerge(stack, file) }
    if breaksSave { return try showInvalidNote(stack, notes, file) }

    let first = (try notes.all().map(\.position).max() ?? 0) + 1
    if showsMergingOnly {
      notes.add(title: "Milk", position: first)
      try stack.saveContext()
    } else {
      try showSaving(stack, notes, file, first)
      try await showTasks(stack, file, first)
    }
    try await showMerging(stack, notes, file, first)
    try await showUnsaved(stack, notes, file, first)

    Output.heading("The file")
    try stack.close()
    Output.line("the closed file holds \(try file.rows())")
    Output.table(try file.table())
  }

  @MainActor private func showSaving(
    _ stack: NotesStack, _ notes: NoteBook, _ file: NoteFile, _ first: Int32
  ) throws {
    Output.heading("saveContext(): ask first, then save")
    notes.add(title: "Milk", position: first)
    notes.add(title: "Bread", position: first + 1)
    Output.line("before: \(try file.rows()) in the file")
    Output.line("with changes:    saved \(try stack.saveContext()), \(try file.rows()) in the file")
    Output.line("without changes: saved \(try stack.saveContext()), \(try file.rows()) in the file")

    Output.heading("The wrong way round: save, then ask")
    //> backwards
    let note = notes.add(title: "Butter", position: first + 2)
    var answer = stack.saveContextBackwards()
    Output.line("a good note:     it says \(answer), \(try file.rows()) in the file")
    note.title = nil
    answer = stack.saveContextBackwards()
    Output.line("without a title: it says \(answer), \(try file.rows()) in the file")
    stack.viewContext.rollback()
    //< backwards
  }

  /// A mandatory property left empty: the save refuses, the context keeps the note.
  @MainActor private func showInvalidNote(
    _ stack: NotesStack, _ notes: NoteBook, _ file: NoteFile
  ) throws {
    Output.heading("A note without a title")
    let before = try file.rows()
    //> invalid
    let note = notes.add(title: nil, position: 0)
    do {
      try stack.saveContext()
    } catch {
      let error = error as NSError
      Output.line("domain and code: \(error.domain) \(error.code)")
      Output.line("it says:         \(error.localizedDescription)")
      Output.line("the property:    \(error.userInfo[NSValidationKeyErrorKey] ?? "not named")")
      Output.line("the value:       \(error.userInfo[NSValidationValueErrorKey] ?? "none")")
      let object = error.userInfo[NSValidationObjectErrorKey]
      Output.line("the object:      \(object as? Note === note ? "the note itself" : "another")")
      Output.line("still unsaved:   \(stack.viewContext.insertedObjects.count)")
      Output.line("in the file:     \(try file.rows()) (before: \(before))")
      throw error
    }
    //< invalid
    throw ChapterFailure("A note without a title was saved to \(file.url.path).")
  }
}
