import Foundation
import SwiftData
import TestFiles
import Testing

@ModelActor actor SavingLibrarian {
  func add(_ title: String) {
    modelContext.autosaveEnabled = true
    modelContext.insert(Book(isbn: title, title: title))
  }
  var hasChanges: Bool { modelContext.hasChanges }
}

/// A model actor without the macro. It enables autosaving before it gives the context to the executor.
actor HandmadeLibrarian: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    let context = ModelContext(modelContainer)
    context.autosaveEnabled = true
    modelExecutor = DefaultSerialModelExecutor(modelContext: context)
  }

  func add(_ title: String) { modelContext.insert(Book(isbn: title, title: title)) }
  var hasChanges: Bool { modelContext.hasChanges }
}

@Suite("Saves that nobody has asked for")
struct AutosaveTests {
  private func container(_ folder: TemporaryFolder) throws -> ModelContainer {
    try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
  }
  private func stored(_ folder: TemporaryFolder) throws -> [String] {
    try SQLiteText.rows(folder.file(), "SELECT ZTITLE FROM ZBOOK ORDER BY ZTITLE")
  }

  /// Waits for the save, at most five seconds.
  @MainActor private func untilSaved(_ context: ModelContext) async throws {
    for _ in 0..<500 where context.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
  }

  @Test("The main context saves inserts, changes, deletions and what is undone, and not before the code that runs ends")
  @MainActor func mainContext() async throws {
    let folder = TemporaryFolder()
    let context = try container(folder).mainContext
    let manager = UndoManager()
    context.undoManager = manager
    let book = Book(isbn: "1", title: "Emma")
    context.insert(book)
    #expect(context.hasChanges)
    #expect(try stored(folder) == [])
    try await untilSaved(context)
    #expect(try stored(folder) == ["Emma"])
    book.title = "X"
    try await untilSaved(context)
    #expect(try stored(folder) == ["X"])
    manager.undo()
    #expect(book.title == "Emma" && context.hasChanges)
    try await untilSaved(context)
    #expect(try stored(folder) == ["Emma"])
    context.delete(book)
    try await untilSaved(context)
    #expect(try stored(folder) == [])
  }

  @Test("What is undone is saved, though the program has no model of it")
  @MainActor func undoneWithoutModel() async throws {
    let folder = TemporaryFolder()
    let context = try container(folder).mainContext
    let manager = UndoManager()
    context.undoManager = manager
    context.insert(Book(isbn: "1", title: "Emma"))
    try await untilSaved(context)
    #expect(try stored(folder) == ["Emma"])
    try context.delete(model: Book.self)
    try await untilSaved(context)
    #expect(try stored(folder) == [])
    manager.undo()
    #expect(context.hasChanges)
    try await untilSaved(context)
    #expect(try stored(folder) == ["Emma"])
  }

  @Test("A model that is inserted again, since its deletion could not be saved, has what waits saved")
  @MainActor func insertedAgain() async throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Painting.self, configurations: ModelConfiguration(url: folder.file()))
    let context = container.mainContext
    let painting = Painting()
    painting.frame = Frame()
    context.insert(painting)
    try await untilSaved(context)
    context.delete(painting)
    try await Task.sleep(for: .milliseconds(200))
    #expect(painting.isDeleted, "The frame forbids it.")
    context.insert(painting)
    try await untilSaved(context)
    #expect(!context.hasChanges && !painting.isDeleted && painting.frame != nil)
  }

  @Test("Switched off, it saves no more; switched on, it saves what waits")
  @MainActor func switching() async throws {
    let folder = TemporaryFolder()
    let context = try container(folder).mainContext
    context.autosaveEnabled = false
    context.insert(Book(isbn: "1", title: "Emma"))
    try await Task.sleep(for: .milliseconds(50))
    #expect(context.hasChanges)
    context.autosaveEnabled = true
    try await untilSaved(context)
    #expect(try stored(folder) == ["Emma"])
  }

  @Test("So does a context of your own that you change on the main queue")
  @MainActor func ownContext() async throws {
    let folder = TemporaryFolder()
    let context = ModelContext(try container(folder))
    #expect(!context.autosaveEnabled)
    context.autosaveEnabled = true
    context.insert(Book(isbn: "1", title: "Emma"))
    try await untilSaved(context)
    #expect(try stored(folder) == ["Emma"])
  }

  @Test("So does that of a model actor, made by the macro or by hand")
  func actors() async throws {
    let folder = TemporaryFolder()
    let container = try container(folder)
    let (made, handmade) = (SavingLibrarian(modelContainer: container), HandmadeLibrarian(modelContainer: container))
    await made.add("Emma")
    await handmade.add("Persuasion")
    for _ in 0..<500 where await made.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
    for _ in 0..<500 where await handmade.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try stored(folder) == ["Emma", "Persuasion"])
  }

  @Test("A model actor saves its own context, also where its container is what a main context has kept of one")
  @MainActor func actorOfKeptContainer() async throws {
    let folder = TemporaryFolder()
    let main = try container(folder).mainContext
    main.autosaveEnabled = false
    main.insert(Book(isbn: "1", title: "Emma"))
    let librarian = SavingLibrarian(modelContainer: main.container)
    await librarian.add("Persuasion")
    for _ in 0..<500 where await librarian.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try stored(folder) == ["Persuasion"])
    #expect(main.hasChanges)
  }

  @Test("A context that is changed elsewhere has no queue to save on: it says so once, and goes on")
  func noQueue() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      try await Task.detached {
        let context = try memory(Book.self)
        context.autosaveEnabled = true
        context.insert(Book(isbn: "1", title: "Emma"))
        context.insert(Book(isbn: "2", title: "Persuasion"))
        if !context.hasChanges { exit(1) }
        try context.save()
      }.value
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.components(separatedBy: "A context that should save by itself has no queue to do so.").count == 2)
  }

  @Test("A context that was changed elsewhere saves by itself as soon as it is changed on the main queue")
  func laterOnMainQueue() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      nonisolated(unsafe) let context = try memory(Book.self)
      context.autosaveEnabled = true
      await Task.detached { context.insert(Book(isbn: "1", title: "Emma")) }.value
      await MainActor.run { context.insert(Book(isbn: "2", title: "Persuasion")) }
      func hasChanges() async -> Bool { await MainActor.run { context.hasChanges } }
      for _ in 0..<500 where await hasChanges() { try await Task.sleep(for: .milliseconds(10)) }
      if await hasChanges() { exit(1) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.components(separatedBy: "A context that should save by itself has no queue to do so.").count == 2)
  }

  @Test("What stands in its way is told on standard error, and the changes wait")
  func refused() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = TemporaryFolder()
      _ = try library(folder.file())
      let context = try await MainActor.run {
        let container = try ModelContainer(
          for: Book.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
        container.mainContext.insert(Book(isbn: "1", title: "Emma"))
        return container
      }
      try await Task.sleep(for: .milliseconds(200))
      if await !MainActor.run(body: { context.mainContext.hasChanges }) { exit(1) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("A context could not save by itself."))
  }
}
