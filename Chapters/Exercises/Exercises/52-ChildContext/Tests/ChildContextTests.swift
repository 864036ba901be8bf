import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@MainActor @Suite("52 A child context", .serialized)
struct ChildContextTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let book: Book

  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    book = Book(context: context)
    book.title = "Emma"
    try context.save()
  }

  /// The title that a stack of its own finds in the file.
  private func savedTitle() throws -> String? {
    let reader = bench.makeContext(try bench.makeCoordinator())
    return try withExtendedLifetime(reader) {
      try reader.fetch(NSFetchRequest<Book>(entityName: "Book")).first?.title
    }
  }

  @Test("What the draft changes, the original does not show")
  func draft() throws {
    let draft = try BookDraft(of: book)
    draft.book.title = "Emma, a draft"
    draft.context.processPendingChanges()
    #expect(book.title == "Emma")
    #expect(!context.hasChanges)
  }

  @Test("The draft shows the original's unsaved changes")
  func unsaved() throws {
    book.title = "Emma, unsaved"
    let draft = try BookDraft(of: book)
    #expect(draft.book.title == "Emma, unsaved")
  }

  @Test("What the draft keeps the original's context has, unsaved, and the file has not")
  func kept() throws {
    let draft = try BookDraft(of: book)
    draft.book.title = "Emma, kept"
    try draft.keep()
    #expect(book.title == "Emma, kept")
    #expect(context.hasChanges)
    let inFile = try savedTitle()
    #expect(inFile == "Emma")
  }

  @Test("When the original's context is saved, what was kept is in the file")
  func saved() throws {
    let draft = try BookDraft(of: book)
    draft.book.title = "Emma, kept"
    try draft.keep()
    try context.save()
    let inFile = try savedTitle()
    #expect(inFile == "Emma, kept")
  }
}
