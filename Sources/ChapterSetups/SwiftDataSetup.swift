import Comparison
import CoreData
import SwiftData

private let file = "Sources/ChapterSetups/ModelStack.swift"

/// Chapter 14: models as plain classes.
public final class SwiftDataSetup: ComparedSetup {
  public nonisolated static let info = SetupInfo(
    id: "swiftdata", title: "SwiftData",
    summary: "Model classes; a model container, whose main context saves by itself, and a model actor that writes.",
    chapter: 14, folder: "Sources/ChapterSetups", modelName: "", storeName: "Books.store",
    steps: [
      SetupStep(.model, [.region("model", in: file)]),
      SetupStep(.coordinator, note: "The container makes it, and keeps it to itself."),
      SetupStep(.store, [.region("open", in: file)]),
      SetupStep(.context, [.region("context", in: file)]),
      SetupStep(
        .errors, note: "The initializer and save() throw; a save of the main context's own reports on standard error."),
      SetupStep(.saving, [.region("save", in: file)]),
      SetupStep(.writing, [.region("writer", in: file)]),
      SetupStep(.testing, note: "The store's URL is a parameter; isStoredInMemoryOnly needs none."),
    ])

  private let stack: ModelStack
  public var view: any BookContext { ModelBooks(context: stack.mainContext) }

  public init(folder: URL) async throws {
    stack = try calling("ModelContainer.init") {
      try ModelStack(storeURL: folder.appendingPathComponent(Self.info.storeName))
    }
  }

  public func writeBooks(_ block: @escaping @Sendable (any BookContext) throws -> Void) async throws {
    // The main context saves automatically when the main queue next has time. Waits for that, because otherwise chance
    // would decide whether that save or this write comes first.
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    try await calling("BookWriter.write(_:)") { [writer = stack.writer] in
      try await writer.write { try block(ModelBooks(context: $0)) }
    }
  }

  public func saveView() async throws { try calling("ModelContext.save()") { try stack.save() } }

  /// A container has no call that closes its files. They are closed when it is released.
  public func close() async throws {}
}

/// A model context in the form that the comparison uses.
private struct ModelBooks: BookContext {
  let context: ModelContext

  var managedContext: NSManagedObjectContext { context.managedContext }

  func book(_ number: Int) throws -> any StoredBook {
    let isbn = BookValues.isbn(number)
    let wanted = FetchDescriptor<SwiftDataBooks.Book>(predicate: #Predicate { $0.isbn == isbn })
    guard let book = try context.fetch(wanted).first else { throw BookValues.missing(number) }
    return book
  }

  func makeBook(_ number: Int) {
    context.insert(
      SwiftDataBooks.Book(
        isbn: BookValues.isbn(number), title: BookValues.title(number), pages: BookValues.pages(number)))
  }

  func bookCount() throws -> Int { try context.fetchCount(FetchDescriptor<SwiftDataBooks.Book>()) }

  func firstTitles(_ limit: Int) throws -> [String] {
    var first = FetchDescriptor<SwiftDataBooks.Book>(sortBy: [SortDescriptor(\.isbn)])
    first.fetchLimit = limit
    return try context.fetch(first).map(\.title)
  }

  func rollback() { context.rollback() }

  /// Nothing to do: a main context merges what other contexts save.
  func reread(_ book: any StoredBook) {}
}

extension SwiftDataBooks.Book: StoredBook {
  var hasUnsavedChanges: Bool { hasChanges }
}
