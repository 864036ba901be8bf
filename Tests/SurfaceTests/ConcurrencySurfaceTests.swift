import CoreData
import Testing

/// Queues, blocks and async functions as applications use them.
@Suite("Queues as applications use them", .serialized)
struct ConcurrencySurfaceTests {
  @Test("A background task reports through a completion handler", arguments: Storage.allCases)
  func completionHandler(_ storage: Storage) async throws {
    try await storage.stack { stack in
      let importer = NoteImporter(container: stack.persistentContainer)
      let count = try await withCheckedThrowingContinuation { continuation in
        importer.importNotes(["a", "b"]) { continuation.resume(with: $0) }
      }
      #expect(count == 2)
      #expect(await importer.count() == 2)
    }
  }

  @Test("Async blocks return values and throw errors", arguments: Storage.allCases)
  func asyncBlocks(_ storage: Storage) async throws {
    try await storage.stack { stack in
      let importer = NoteImporter(container: stack.persistentContainer)
      let ids = try await importer.importNotes(["a", "b", "c"])
      #expect(ids.count == 3 && ids.allSatisfy { !$0.isTemporaryID })
      try await importer.importInBatches(["d", "e", "f", "g"])
      #expect(await importer.count() == 7)
      let context = stack.persistentContainer.newBackgroundContext()
      let title = try await context.perform { try (context.existingObject(with: ids[1]) as? Note)?.title }
      #expect(title == "b")
      await #expect(throws: NoteError.self) {
        try await stack.persistentContainer.background { _ in throw NoteError.notFound }
      }
      await #expect(throws: NoteError.self) {
        try await context.perform { throw NoteError.invalid("x") }
      }
    }
  }

  @Test("performAndWait returns what its block returns and throws what it throws")
  func performAndWait() throws {
    try Storage.memory.stack { stack in
      let context = stack.backgroundContext
      let number = context.performAndWait { 7 }
      #expect(number == 7)
      let note: Note = context.performAndWait { Note(context: context) }
      #expect(note.managedObjectContext === context)
      #expect(throws: NoteError.self) { try context.performAndWait { throw NoteError.notFound } }
      var title = ""
      context.performAndWait {
        note.title = "inner"
        context.performAndWait { title = note.title ?? "" }
      }
      #expect(title == "inner")
    }
  }

  @Test("perform runs its block later on the context's queue, and changes are saved in one go")
  func perform() async throws {
    try await Storage.memory.stack { stack in
      let context = stack.backgroundContext
      await withCheckedContinuation { continuation in
        context.performChanges {
          Note(context: context).title = "later"
          Note(context: context).title = "too"
        }
        context.perform { continuation.resume() }
      }
      #expect(await context.perform { context.hasChanges } == false)
      #expect(await NoteImporter(container: stack.persistentContainer).count() == 2)
    }
  }

  @Test("A request executes in the context whose block it is called in")
  func executingRequests() throws {
    try Storage.memory.stack { stack in
      let context = stack.backgroundContext
      try context.performAndWait {
        Note(context: context).title = "found"
        let request = NSFetchRequest<Note>(entityName: "Note")
        let found = try request.execute()
        #expect(found.map(\.title) == ["found"])
      }
    }
  }
}
