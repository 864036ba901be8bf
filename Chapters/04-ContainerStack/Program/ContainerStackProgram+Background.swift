import ChapterSupport
import ContainerStackChapter
import CoreData
import Foundation

/// What a background task does, and how the view context hears of it.
extension ContainerStackProgram {
  @MainActor func showTasks(_ stack: NotesStack, _ file: NoteFile, _ first: Int32) async throws {
    Output.heading("A background task saves what you save")
    //> forgotten
    let before = try file.rows()
    await stack.persistentContainer.performBackgroundTask { context in
      _ = NoteBook(context: context).add(title: "Forgotten", position: first + 9)
    }
    Output.line("without a save: \(before) before, \(try file.rows()) afterwards")
    //< forgotten

    //> object-id
    let (early, id) = try await stack.performInBackground { context in
      let note = NoteBook(context: context).add(title: "Coffee", position: first + 3)
      let early = note.objectID
      try context.save()
      return (early, note.objectID)
    }
    let coffee = try stack.viewContext.existingObject(with: id) as? Note
    Output.line("with a save:    \(try file.rows()) afterwards")
    Output.line("a temporary id: \(early.isTemporaryID) before, \(id.isTemporaryID) afterwards")
    Output.line("the view context finds by it: \(coffee?.title ?? "nothing")")
    //< object-id
  }

  @MainActor func showMerging(
    _ stack: NotesStack, _ notes: NoteBook, _ file: NoteFile, _ first: Int32
  ) async throws {
    Output.heading("What the view context hears of a background save")
    guard let seen = try notes.note(at: first) else {
      throw ChapterFailure("The note \(first) is gone from \(file.url.path).")
    }
    for merges in [false, true] {
      Output.line(merges ? "automatic merging on" : "automatic merging off")
      //> merge
      stack.viewContext.automaticallyMergesChangesFromParent = merges
      let inserted = InsertionCounter(of: stack.viewContext)
      let place = try await stack.performInBackground { context in
        let book = NoteBook(context: context)
        book.add(title: "From the background", position: first + (merges ? 5 : 4))
        try book.note(at: first)?.title = merges ? "Oat milk" : "Rice milk"
        return CurrentQueue.name
      }
      // The save has put the merge into the main queue. This block comes after it.
      await stack.viewContext.perform(schedule: .enqueued) {}
      //< merge
      Output.line("  the work ran on \(place)")
      Output.line("  the file's title: \(try file.value("ZTITLE", at: first))")
      Output.line("  the view context's object: \(seen.title ?? "none")")
      Output.line("  the view context was told of \(Output.count(inserted.count, "new object"))")
      // A refresh reads the row in a transaction that ends a moment later: among the shown statements its end
      // would stand in another place each time.
      guard !merges, !showsMergingOnly else { continue }
      //> refresh
      stack.viewContext.refresh(seen, mergeChanges: true)
      Output.line("  the same object, refreshed: \(seen.title ?? "none")")
      //< refresh
    }
  }

  @MainActor func showUnsaved(
    _ stack: NotesStack, _ notes: NoteBook, _ file: NoteFile, _ first: Int32
  ) async throws {
    Output.heading("The same while the view context has a change of its own")
    guard let seen = try notes.note(at: first) else { return }
    for merges in [false, true] {
      Output.line(merges ? "automatic merging on" : "automatic merging off")
      //> unsaved
      stack.viewContext.automaticallyMergesChangesFromParent = merges
      seen.body = "Two litres"
      try await stack.performInBackground { context in
        try NoteBook(context: context).note(at: first)?.title = merges ? "Soy milk" : "Goat milk"
      }
      await stack.viewContext.perform(schedule: .enqueued) {}
      Output.line("  the object: \(seen.title ?? "none"), \(seen.body ?? "none")")
      do {
        try stack.saveContext()
        Output.line("  save() writes it")
      } catch {
        Output.line("  save() says \((error as NSError).code)")
        stack.viewContext.rollback()
      }
      //< unsaved
      let (title, body) = (try file.value("ZTITLE", at: first), try file.value("ZBODY", at: first))
      Output.line("  the file:   \(title), \(body)")
    }
  }
}

//> counter
/// Counts the objects that a context reports as new.
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
//< counter
