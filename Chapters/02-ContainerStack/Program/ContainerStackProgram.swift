import ArgumentParser
import ChapterSupport
import ContainerStackChapter
import CoreData
import Foundation
import StoreFileReader

@main
struct ContainerStackProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ContainerStack",
    abstract: "The stack in one property: NSPersistentContainer, its view context and a background context.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("break"), help: "Save a note without its title, and read the error.")
  var breaksSave = false

  static func main() { ChapterProgram.run(Self.self) }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "ContainerStack", stores: [NotesStack.storeName])
    let url = folder.appendingPathComponent(NotesStack.storeName)
    let stack = NotesStack(folder: folder)
    let notes = NoteBook(context: stack.viewContext)
    if let failure = stack.loadingFailure { throw failure }
    if breaksSave { return try showInvalidNote(stack, notes, url) }

    let first = (try notes.all().map(\.position).max() ?? 0) + 1
    try showSaving(stack, notes, url, first)
    try await showBackground(stack, notes, url, first)
    try stack.close()
    Output.line("the closed file holds \(try rows(url))")
  }

  @MainActor private func showSaving(
    _ stack: NotesStack, _ notes: NoteBook, _ url: URL, _ first: Int32
  ) throws {
    Output.heading("saveContext(): ask first, save then")
    notes.add(title: "Milk", position: first)
    notes.add(title: "Bread", position: first + 1)
    Output.line("before: \(try rows(url)) in the file")
    Output.line("with changes:    saved \(try stack.saveContext()), \(try rows(url)) in the file")
    Output.line("without changes: saved \(try stack.saveContext()), \(try rows(url)) in the file")

    Output.heading("The wrong way round: save first, ask afterwards")
    let note = notes.add(title: "Butter", position: first + 2)
    Output.line("a good note:     it says \(stack.saveContextBackwards()), \(try rows(url)) in the file")
    note.title = nil
    Output.line("without a title: it says \(stack.saveContextBackwards()), \(try rows(url)) in the file")
    stack.viewContext.rollback()
  }

  //> merge
  @MainActor private func showBackground(
    _ stack: NotesStack, _ notes: NoteBook, _ url: URL, _ first: Int32
  ) async throws {
    Output.heading("A background context, and what the view context hears of it")
    guard let seen = try notes.note(at: first) else {
      throw ChapterFailure("The note \(first) is gone from \(url.path).")
    }
    let title = seen.title ?? "none"
    for merges in [false, true] {
      stack.viewContext.automaticallyMergesChangesFromParent = merges
      let inserted = InsertionCounter(of: stack.viewContext)
      let position = first + (merges ? 4 : 3)
      let place = try await stack.performInBackground { context in
        let book = NoteBook(context: context)
        book.add(title: "From the background", position: position)
        try book.note(at: first)?.title = merges ? "Oat milk" : "Rice milk"
        return CurrentQueue.name
      }
      // The merge is queued on the main queue during the save; whatever is queued now comes after it.
      await stack.viewContext.perform(schedule: .enqueued) {}
      Output.line(merges ? "automatic merging on" : "automatic merging off")
      Output.line("  the work ran on \(place)")
      Output.line("  the file's title: \(try fileTitle(url, first))")
      Output.line("  the view context's object: \(seen.title ?? "none") (it was \(title))")
      Output.line("  the view context was told of \(Output.count(inserted.count, "new object"))")
    }
  }
  //< merge

  /// A mandatory property left empty: the save refuses, the context keeps the note.
  @MainActor private func showInvalidNote(_ stack: NotesStack, _ notes: NoteBook, _ url: URL) throws {
    Output.heading("A note without a title")
    let before = try rows(url)
    let note = notes.add(title: nil, position: 0)
    do {
      try stack.saveContext()
    } catch {
      let error = error as NSError
      Output.line("domain and code: \(error.domain) \(error.code)")
      Output.line("the property:    \(error.userInfo[NSValidationKeyErrorKey] ?? "not named")")
      Output.line("the object:      \(error.userInfo[NSValidationObjectErrorKey] as? Note === note)")
      Output.line("still unsaved:   \(stack.viewContext.insertedObjects.count)")
      Output.line("in the file:     \(try rows(url)) (before: \(before))")
      throw error
    }
    throw ChapterFailure("A note without a title was saved to \(url.path).")
  }

  private func rows(_ url: URL) throws -> String {
    Output.count(try StoreFileReader(contentsOf: url).rowCount(of: "ZNOTE"), "row")
  }

  private func fileTitle(_ url: URL, _ position: Int32) throws -> String {
    try StoreFileReader(contentsOf: url)
      .rows("SELECT ZTITLE FROM ZNOTE WHERE ZPOSITION = \(position)").first?[0].description ?? "none"
  }
}

/// Counts the objects that a context reports as inserted while it did not insert any itself.
private final class InsertionCounter {
  private(set) var count = 0
  private var observer: (any NSObjectProtocol)?

  init(of context: NSManagedObjectContext) {
    observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { [unowned self] note in
      count += (note.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
    }
  }

  deinit {
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }
}
