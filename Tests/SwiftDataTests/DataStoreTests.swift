import Foundation
import SwiftData
import Testing

/// Where a file of JSON is.
final class ArchiveConfiguration: DataStoreConfiguration {
  typealias Store = ArchiveStore

  let name: String
  var schema: Schema?
  let fileURL: URL
  let filters: Bool

  init(name: String = "archive", schema: Schema? = nil, fileURL: URL, filters: Bool = false) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
    self.filters = filters
  }

  func validate() throws {
    guard fileURL.pathExtension == "json" else { throw CocoaError(.fileReadInvalidFileName) }
  }

  static func == (left: ArchiveConfiguration, right: ArchiveConfiguration) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A store in a file of JSON, as tutorials have it.
final class ArchiveStore: DataStore {
  typealias Configuration = ArchiveConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: ArchiveConfiguration
  let identifier: String
  let schema: Schema
  /// What tests want to know.
  nonisolated(unsafe) static var calls: [String] = []
  nonisolated(unsafe) static var failure: (any Error)?

  init(_ configuration: ArchiveConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    identifier = configuration.fileURL.deletingPathExtension().lastPathComponent
    schema = configuration.schema!
  }

  private func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let snapshots = try JSONDecoder().decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.fileURL))
    return Dictionary(uniqueKeysWithValues: snapshots.map { ($0.persistentIdentifier, $0) })
  }

  private func write(_ snapshots: [PersistentIdentifier: DefaultSnapshot]) throws {
    try JSONEncoder().encode(snapshots.values.sorted { $0.persistentIdentifier < $1.persistentIdentifier })
      .write(to: configuration.fileURL)
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    Self.calls.append("fetch \(T.self)")
    let all = try read()
    let found = all.values.filter { $0.persistentIdentifier.entityName == Schema.entityName(for: T.self) }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: found.sorted { $0.persistentIdentifier < $1.persistentIdentifier }, relatedSnapshots: all)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    if let failure = Self.failure { throw failure }
    Self.calls.append("save \(request.inserted.count) \(request.updated.count) \(request.deleted.count)")
    var all = try read()
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID().uuidString)
    }
    for snapshot in request.inserted + request.updated {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      all[identifier] = snapshot.copy(persistentIdentifier: identifier, remappedIdentifiers: remapped)
    }
    for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
    try write(all)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  func erase() throws { try write([:]) }
}

@Suite("A store of one's own", .serialized)
struct DataStoreTests {
  private let folder = TemporaryFolder()
  private var url: URL { folder.file("Shelf.json") }

  private func container() throws -> ModelContainer {
    (ArchiveStore.calls, ArchiveStore.failure) = ([], nil)
    return try ModelContainer(for: Book.self, Author.self, configurations: ArchiveConfiguration(fileURL: url))
  }

  /// Three books by two authors.
  private func fill(_ context: ModelContext) throws {
    let (jane, franz) = (Author(name: "Jane"), Author(name: "Franz"))
    for (title, pages, author) in [("Emma", 474, jane), ("Persuasion", 249, jane), ("Amerika", 3, franz)] {
      let book = Book(isbn: title, title: title, pages: pages)
      book.author = author
      context.insert(book)
    }
    try context.save()
  }

  @Test("What was inserted is in its file, and is read with its relationships by another container")
  func reopening() throws {
    let context = ModelContext(try container())
    try fill(context)
    #expect(ArchiveStore.calls == ["save 5 0 0"])
    let emma = try #require(try context.fetch(FetchDescriptor<Book>()).first { $0.title == "Emma" })
    let id = emma.persistentModelID
    #expect(id.storeIdentifier == "Shelf" && id.entityName == "Book")

    let other = ModelContext(try container())
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["Amerika", "Emma", "Persuasion"] && books.map(\.pages) == [3, 474, 249])
    #expect(books[1].author?.name == "Jane")
    #expect(Set(books[1].author?.books.map(\.title) ?? []) == ["Emma", "Persuasion"])
    #expect(books[1].persistentModelID == id)
    let written = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(id))
    #expect((other.model(for: written) as? Book)?.title == "Emma")
  }

  @Test("Changes and deletions are saved, and only these")
  func changes() throws {
    try fill(ModelContext(try container()))
    let context = ModelContext(try container())
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    books[1].pages = 500
    context.delete(books[0])
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
    try context.save()
    #expect(ArchiveStore.calls.last == "save 0 2 1", "Amerika's author has a book less.")
    let other = ModelContext(try self.container())
    #expect(try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])).map(\.pages) == [500, 249])
  }

  @Test("Predicate, order, limit and offset that the store leaves are done in memory")
  func inMemory() throws {
    let context = ModelContext(try container())
    try fill(context)
    var wanted = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 100 || $0.author?.name == "Franz" }, sortBy: [SortDescriptor(\.pages)])
    #expect(try context.fetch(wanted).map(\.title) == ["Amerika", "Persuasion", "Emma"])
    #expect(try context.fetchCount(wanted) == 3)
    wanted.fetchLimit = 1
    wanted.fetchOffset = 1
    #expect(try context.fetch(wanted).map(\.title) == ["Persuasion"])
    context.insert(Book(isbn: "new", title: "Sanditon", pages: 120))
    #expect(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages < 200 })).map(\.title).sorted()
        == ["Amerika", "Sanditon"])
    #expect(try context.fetchIdentifiers(FetchDescriptor<Author>()).count == 2)
  }

  @Test("A save that the store refuses changes nothing, and can be tried again")
  func refusal() throws {
    let context = ModelContext(try container())
    let book = Book(isbn: "1", title: "Emma", pages: 1)
    context.insert(book)
    ArchiveStore.failure = CocoaError(.fileWriteOutOfSpace)
    #expect(throws: CocoaError(.fileWriteOutOfSpace)) { try context.save() }
    #expect(book.hasChanges && !FileManager.default.fileExists(atPath: url.path))
    ArchiveStore.failure = nil
    try context.save()
    let other = ModelContext(try container())
    #expect(try other.fetch(FetchDescriptor<Book>()).map(\.title) == ["Emma"])
  }

  @Test("Configurations are validated, stores erased, and what a store can't do is refused by name")
  func limits() throws {
    #expect(throws: CocoaError.self) {
      try ModelContainer(for: Book.self, configurations: ArchiveConfiguration(fileURL: folder.file("Shelf.txt")))
    }
    let container = try container()
    let context = ModelContext(container)
    try fill(context)
    #expect(throws: (any Error).self) { try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
    try container.erase()
    let other = ModelContext(try self.container())
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(throws: (any Error).self) {
      try PersistentIdentifier.identifier(for: "Shelf", entityName: "Book", primaryKey: "")
    }
  }
}
