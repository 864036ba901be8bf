import Foundation
import SwiftData
import TestFiles
import Testing

@Model private final class Writer {
  @Attribute(.unique) var number: Int
  var name: String

  init(_ number: Int, _ name: String) {
    self.number = number
    self.name = name
  }
}

/// Leads to writers, which know nothing of it.
@Model private final class Story {
  var title: String
  var writer: Writer?
  var readers: [Writer] = []

  init(_ title: String, _ writer: Writer? = nil, readers: [Writer] = []) {
    self.title = title
    self.writer = writer
    self.readers = readers
  }
}

@Suite("New models with one unique value")
struct EqualModelTests {
  private func newContext(
    _ folder: TemporaryFolder, inFile: Bool, _ types: any PersistentModel.Type...
  ) throws -> ModelContext {
    let configuration =
      inFile ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true)
    return ModelContext(try ModelContainer(for: Schema(types), configurations: configuration))
  }

  @Test(
    "The first stays with the last one's values, and has what was related to any; it is as if each had been saved",
    arguments: [true, false], [true, false])
  func relationships(inFile: Bool, inTwoSaves: Bool) throws {
    let folder = TemporaryFolder()
    let context = try newContext(folder, inFile: inFile, Author.self, Book.self)
    let emma = Book(isbn: "1", title: "Emma", author: Author(name: "Jane"))
    context.insert(emma)
    if inTwoSaves { try context.save() }
    let jane = Author(name: "Jane")
    jane.books = [Book(isbn: "2", title: "Persuasion"), Book(isbn: "1", title: "Emma, revised", pages: 3)]
    context.insert(jane)
    try context.save()
    #expect(emma.title == "Emma, revised" && emma.pages == 3 && emma.author?.books.count == 2)
    let other = ModelContext(context.container)
    let authors = try other.fetch(FetchDescriptor<Author>())
    #expect(authors.map(\.name) == ["Jane"])
    #expect(authors.flatMap(\.books).map(\.title).sorted() == ["Emma, revised", "Persuasion"])
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 2)
  }

  @Test(
    "Models that lead to them without an inverse, to one or to many, lead to the one that stays",
    arguments: [true, false], [true, false])
  func withoutInverse(inFile: Bool, inTwoSaves: Bool) throws {
    let folder = TemporaryFolder()
    let context = try newContext(folder, inFile: inFile, Story.self, Writer.self)
    let a = Story("a", Writer(1, "first"))
    context.insert(a)
    if inTwoSaves { try context.save() }
    let readers = [Writer(2, "third"), Writer(3, "other"), Writer(2, "fourth")]
    for reader in readers { context.insert(reader) }
    let b = Story("b", Writer(1, "second"), readers: readers)
    context.insert(b)
    try context.save()
    #expect(a.writer != nil && a.writer === b.writer && a.writer?.name == "second")
    #expect(b.readers.map(\.name).sorted() == ["fourth", "other"])
    let other = ModelContext(context.container)
    let stories = try other.fetch(FetchDescriptor<Story>(sortBy: [SortDescriptor(\.title)]))
    #expect(stories.map { $0.writer?.name } == ["second", "second"])
    #expect(stories.map { $0.readers.map(\.name).sorted() } == [[], ["fourth", "other"]])
    #expect(try other.fetchCount(FetchDescriptor<Writer>()) == 3)
  }

  @Test("A model whose object went stands for the one that stays, unless the program has a model of that")
  func successors() throws {
    let folder = TemporaryFolder()
    let context = try newContext(folder, inFile: false, Story.self, Writer.self)
    nonisolated(unsafe) var told: [PersistentIdentifier] = []
    nonisolated(unsafe) var updates = 0
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      let info = $0.userInfo
      func identifiers(_ key: ModelContext.NotificationKey) -> [PersistentIdentifier] {
        info?[key.rawValue] as? [PersistentIdentifier] ?? []
      }
      told = identifiers(.insertedIdentifiers)
      updates = identifiers(.updatedIdentifiers).count
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(Writer(1, "first"))
    let (second, third) = (Writer(1, "second"), Writer(1, "third"))
    context.insert(second)
    context.insert(third)
    try context.save()
    #expect(second.modelContext == context && second.name == "third")
    #expect(third.modelContext == nil && third.name == "third")
    #expect(told == [second.persistentModelID] && updates == 0)
    second.name = "fourth"
    try context.save()
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Writer>()).map(\.name) == ["fourth"])
  }
}
