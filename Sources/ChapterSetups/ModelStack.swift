import Comparison
import CoreData
import SwiftData

/// The comparison's books as a model class. An entity is named by its class without the types
/// around it, so this is the `Book` of the other set-ups.
enum SwiftDataBooks {
  //> model
  @Model
  final class Book {
    @Attribute(.unique) var isbn: String
    var title: String
    var pages: Int32 = 0
    var stock: Int32 = 0

    init(isbn: String, title: String, pages: Int32) {
      self.isbn = isbn
      self.title = title
      self.pages = pages
    }
  }
  //< model
}

/// A container whose main context shows the books, and an actor that writes them.
@MainActor
final class ModelStack {
  let container: ModelContainer
  let writer: BookWriter

  //> open
  init(storeURL: URL) throws {
    container = try ModelContainer(
      for: SwiftDataBooks.Book.self, configurations: ModelConfiguration(url: storeURL))
    writer = BookWriter(modelContainer: container)
  }
  //< open

  //> context
  var mainContext: ModelContext { container.mainContext }
  //< context

  //> save
  /// Saves at once what the main context would save by itself in a moment.
  func save() throws {
    if mainContext.hasChanges { try mainContext.save() }
  }
  //< save
}

//> writer
/// Writes in a context of its own, on a queue of its own. What cannot be saved is dropped.
@ModelActor
actor BookWriter {
  func write(_ work: @Sendable (ModelContext) throws -> Void) throws {
    do {
      try work(modelContext)
      try modelContext.save()
    } catch {
      modelContext.rollback()
      throw error
    }
  }
}
//< writer
