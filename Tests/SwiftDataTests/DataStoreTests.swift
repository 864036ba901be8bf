import Foundation
import SwiftData
import TestFiles
import Testing

/// Where a file of JSON is.
final class ArchiveConfiguration: DataStoreConfiguration {
  typealias Store = ArchiveStore

  let name: String
  var schema: Schema?
  let fileURL: URL
  /// Whether the models of each entity are numbered from 1 on.
  let numbers: Bool

  init(name: String = "archive", schema: Schema? = nil, fileURL: URL, numbers: Bool = false) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
    self.numbers = numbers
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

  private func names(_ entity: Schema.Entity) -> [String] { [entity.name] + entity.subentities.flatMap(names) }

  private func key(_ entityName: String, beside all: [PersistentIdentifier: DefaultSnapshot]) -> String {
    configuration.numbers ? "\(all.keys.count(where: { $0.entityName == entityName }) + 1)" : UUID().uuidString
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    Self.calls.append("fetch \(T.self)")
    let all = try read()
    let wanted = Set(schema.entity(for: T.self).map(names) ?? [])
    let found = all.values.filter { wanted.contains($0.persistentIdentifier.entityName) }
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
      let name = snapshot.persistentIdentifier.entityName
      let made = try PersistentIdentifier.identifier(
        for: identifier, entityName: name, primaryKey: key(name, beside: all))
      remapped[snapshot.persistentIdentifier] = made
      // It counts for the next one's number.
      all[made] = snapshot
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

/// Hands everything on to a store of Strata's, and tells what it was asked.
struct RelayConfiguration: DataStoreConfiguration {
  typealias Store = RelayStore
  final class Calls: @unchecked Sendable {
    var names: [String] = []
    /// Those that have begun and not ended.
    var states: Set<UUID> = []
  }

  var name: String { "relay" }
  var schema: Schema?
  let url: URL?
  let calls = Calls()

  static func == (left: Self, right: Self) -> Bool { left.url == right.url }
  func hash(into hasher: inout Hasher) { hasher.combine(url) }
}

final class RelayStore: DataStore {
  let configuration: RelayConfiguration
  private let inner: DefaultStore
  var identifier: String { inner.identifier }
  var schema: Schema { inner.schema }

  init(_ configuration: RelayConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    let inner =
      configuration.url.map { ModelConfiguration(schema: configuration.schema, url: $0) }
      ?? ModelConfiguration(schema: configuration.schema, isStoredInMemoryOnly: true)
    self.inner = try DefaultStore(inner, migrationPlan: migrationPlan)
  }

  func fetch<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> DataStoreFetchResult<T, DefaultSnapshot>
  {
    let calls = configuration.calls
    calls.names.append(calls.states.contains(request.editingState.id) ? "fetch" : "fetch without a state")
    return try inner.fetch(request)
  }
  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    configuration.calls.names.append("count")
    return try inner.fetchCount(request)
  }
  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
    configuration.calls.names.append("identifiers")
    return try inner.fetchIdentifiers(request)
  }
  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    configuration.calls.names.append("save")
    return try inner.save(request)
  }
  func erase() throws { try inner.erase() }
  func initializeState(for state: EditingState) { configuration.calls.states.insert(state.id) }
  func invalidateState(for state: EditingState) { configuration.calls.states.remove(state.id) }
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

  @Test("What another context has saved is merged by property, also data and lists that are as long as before")
  func sameLength() throws {
    let context = ModelContext(try container())
    let emma = Book(isbn: "1", title: "Emma")
    (emma.tags, emma.cover) = (["a"], Data([1]))
    context.insert(emma)
    try context.save()
    let container = try container()
    let (one, other) = (ModelContext(container), ModelContext(container))
    let book = try #require(try one.fetch(FetchDescriptor<Book>()).first)
    let same = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    #expect(book.tags == ["a"] && same.tags == ["a"])
    (book.tags, book.cover) = (["b"], Data([2]))
    try one.save()
    same.title = "Emma!"
    try other.save()
    let read = try #require(try ModelContext(self.container()).fetch(FetchDescriptor<Book>()).first)
    #expect(read.title == "Emma!" && read.tags == ["b"] && read.cover == Data([2]))
  }

  @Test("Infinite numbers and NaN are in a file of JSON as well")
  func specialNumbers() throws {
    let context = ModelContext(try container())
    for (isbn, weight) in zip(["1", "2", "3"], [Float.infinity, -Float.infinity, Float.nan]) {
      let book = Book(isbn: isbn, title: isbn)
      book.weight = weight
      context.insert(book)
    }
    try context.save()
    let books = try ModelContext(container()).fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))
    #expect(books.prefix(2).map(\.weight) == [Float.infinity, -Float.infinity] && books[2].weight.isNaN)
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

  /// Whether a container and its context go on after an erasure.
  private func goOn(_ container: ModelContainer) throws {
    let context = ModelContext(container)
    try fill(context)
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 0)
    try fill(context)
    let books = try ModelContext(container).fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["Amerika", "Emma", "Persuasion"])
    #expect(books.map { $0.author?.name } == ["Franz", "Jane", "Jane"])
  }

  @Test("A container goes on with a store that it has erased")
  func erased() throws { try goOn(try container()) }

  @Test("So it does with one that hands everything on to a DefaultStore", arguments: [true, false])
  func erasedRelay(inFile: Bool) throws {
    try goOn(
      try ModelContainer(for: Book.self, configurations: RelayConfiguration(url: inFile ? folder.file() : nil)))
  }

  @Test("A store of one's own may hand everything on to a DefaultStore", arguments: [true, false])
  func relay(inFile: Bool) throws {
    let configuration = RelayConfiguration(url: inFile ? folder.file() : nil)
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    let context = ModelContext(container)
    try fill(context)
    let jane = try #require(
      try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Jane" })).first)
    #expect(Set(jane.books.map(\.title)) == ["Emma", "Persuasion"])
    let id = jane.persistentModelID
    let wanted = FetchDescriptor<Book>(
      predicate: #Predicate { $0.author?.persistentModelID == id },
      sortBy: [SortDescriptor(\.pages)])
    #expect(try context.fetch(wanted).map(\.title) == ["Persuasion", "Emma"])
    let emma = try context.fetch(wanted)[1]
    (emma.pages, emma.tags, emma.location) = (475, ["x"], .box("b", 2))
    context.delete(try context.fetch(wanted)[0])
    try context.save()
    let other = ModelContext(container)
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.pages) == [3, 475] && books[1].tags == ["x"] && books[1].location == .box("b", 2))
    #expect(books[1].author?.books == [books[1]] && books[0].author?.name == "Franz")
    if inFile { #expect(try library(folder.file()).fetchCount(FetchDescriptor<Book>()) == 2) }
  }

  @Test("Models of one hierarchy may have the same keys in a store, each among those of its own class")
  func keysOfHierarchies() throws {
    (ArchiveStore.calls, ArchiveStore.failure) = ([], nil)
    func travels() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Trip.self, BusinessTrip.self, PrivateTrip.self,
          configurations: ArchiveConfiguration(fileURL: url, numbers: true)))
    }
    let context = try travels()
    let journey = PrivateTrip(name: "Private", reason: "Sun")
    for trip in [Trip(name: "Trip"), BusinessTrip(name: "Business", perDiem: 40), journey] { context.insert(trip) }
    context.insert(Stay(place: "Beach", trip: journey))
    try context.save()
    let other = try travels()
    let trips = try other.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    #expect(trips.map(\.name) == ["Business", "Private", "Trip"])
    #expect(trips.map { $0.persistentModelID.entityName } == ["BusinessTrip", "PrivateTrip", "Trip"])
    #expect((trips[0] as? BusinessTrip)?.perDiem == 40 && (trips[1] as? PrivateTrip)?.reason == "Sun")
    #expect(trips[1].stays.map(\.place) == ["Beach"] && trips[2].stays.isEmpty)
    #expect(trips[1].persistentModelID == journey.persistentModelID)
    #expect(other.model(for: journey.persistentModelID) as? Trip === trips[1])
    trips[2].days = 9
    try other.save()
    #expect(try travels().fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.days) == [3, 1, 9])
  }

  @Test("Keys that differ in their scalars only are those of two models")
  func scalars() throws {
    let ids = try ["\u{E9}", "e\u{301}"].map {
      try PersistentIdentifier.identifier(for: "Shelf", entityName: "Book", primaryKey: $0)
    }
    #expect(ids[0] != ids[1] && ids[0].id != ids[1].id && Set(ids).count == 2)
    let data = try JSONEncoder().encode(ids)
    #expect(try JSONDecoder().decode([PersistentIdentifier].self, from: data) == ids)
  }

  @Test("A deletion by class may leave out the classes below in a store of one's own, too")
  func deletionOfOneClass() throws {
    let configuration = RelayConfiguration(url: folder.file())
    let container = try ModelContainer(for: Trip.self, PrivateTrip.self, configurations: configuration)
    let context = ModelContext(container)
    for name in ["Alps", "Rome"] { context.insert(Trip(name: name)) }
    context.insert(PrivateTrip(name: "Private", reason: "Sun"))
    try context.save()
    try context.delete(model: Trip.self, where: #Predicate { $0.name != "Rome" }, includeSubclasses: false)
    try context.save()
    func names() throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    #expect(try names() == ["Private", "Rome"])
    try context.delete(model: Trip.self)
    try context.save()
    #expect(try names().isEmpty)
  }

  @Test("A store counts and identifies by itself what it is asked for, unless there are unsaved changes")
  func ownCounts() throws {
    let configuration = RelayConfiguration(url: nil)
    let context = ModelContext(try ModelContainer(for: Book.self, configurations: configuration))
    try fill(context)
    func asked<Answer: Equatable>(_ name: String, _ answer: Answer, _ ask: () throws -> Answer) throws {
      configuration.calls.names = []
      let given = try ask()
      #expect(given == answer && configuration.calls.names == [name], "\(given), \(configuration.calls.names)")
    }
    var wanted = FetchDescriptor<Book>(
      predicate: #Predicate { $0.pages > 100 }, sortBy: [SortDescriptor(\.pages, order: .reverse)])
    let ids = try context.fetch(wanted).map(\.persistentModelID)
    #expect(ids.count == 2)
    try asked("count", 2) { try context.fetchCount(wanted) }
    try asked("identifiers", ids) { try context.fetchIdentifiers(wanted) }
    try asked("identifiers", ids) { Array(try context.fetchIdentifiers(wanted, batchSize: 1)) }
    wanted.fetchLimit = 1
    try asked("count", 1) { try context.fetchCount(wanted) }
    wanted.fetchLimit = nil
    let book = Book(isbn: "new", title: "Sanditon", pages: 120)
    context.insert(book)
    try asked("fetch", 3) { try context.fetchCount(wanted) }
    try asked("fetch", ids + [book.persistentModelID]) { try context.fetchIdentifiers(wanted) }
    wanted.includePendingChanges = false
    try asked("identifiers", ids) { try context.fetchIdentifiers(wanted) }
  }

  @Test("A context's state ends when nothing reads by it any more, also no model that has outlived the context")
  func outliving() throws {
    try fill(ModelContext(ModelContainer(for: Book.self, configurations: RelayConfiguration(url: folder.file()))))
    let configuration = RelayConfiguration(url: folder.file())
    let calls = configuration.calls
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    let others = calls.states
    var author: Author?
    do {
      let context = ModelContext(container)
      #expect(calls.states.count == others.count + 1)
      let wanted = FetchDescriptor<Author>(predicate: #Predicate { $0.name == "Jane" })
      author = context.model(for: try #require(try context.fetchIdentifiers(wanted).first)) as? Author
    }
    calls.names = []
    var books = author?.books ?? []
    #expect(author?.name == "Jane" && Set(books.map(\.title)) == ["Emma", "Persuasion"])
    #expect(Set(calls.names) == ["fetch"] && calls.states.count == others.count + 1)
    author = nil
    #expect(books.count == 2 && calls.states.count == others.count + 1)
    books = []
    #expect(calls.states == others)
    do { _ = ModelContext(container) }
    #expect(calls.states == others)
  }

  @Test("Identities that a store fetches for want of a shorter way leave the values of their models with the container")
  func valuesOfIdentities() throws {
    try fill(ModelContext(try container()))
    let context = ModelContext(try container())
    let ids = try context.fetchIdentifiers(FetchDescriptor<Author>())
    #expect(Set(ids.compactMap { (context.model(for: $0) as? Author)?.name }) == ["Jane", "Franz"])
    #expect(ArchiveStore.calls == ["fetch Author"])
  }

  @Test("One list of configurations may have files, stores in memory and stores of one's own")
  func mixed() throws {
    (ArchiveStore.calls, ArchiveStore.failure) = ([], nil)
    let books = Schema([Book.self, Author.self])
    let list: [any DataStoreConfiguration] = [
      ModelConfiguration("members", schema: Schema([Member.self]), url: folder.file("Members.store")),
      ArchiveConfiguration(schema: books, fileURL: url),
      ModelConfiguration("beds", schema: Schema([Garden.Bed.self]), isStoredInMemoryOnly: true),
    ]
    let all = Schema([Book.self, Author.self, Member.self, Garden.Bed.self])
    let container = try ModelContainer(for: all, configurations: list)
    #expect(Set(container.configurations.map(\.name)) == ["members", "beds"])
    let context = ModelContext(container)
    try fill(context)
    context.insert(Member(number: 1, name: "Ada"))
    context.insert(Garden.Bed(number: 7))
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Garden.Bed>()).map(\.number) == [7])
    let members = ModelContext(
      try ModelContainer(for: Member.self, configurations: ModelConfiguration(url: folder.file("Members.store"))))
    #expect(try members.fetch(FetchDescriptor<Member>()).map(\.name) == ["Ada"])
    #expect(try ModelContext(self.container()).fetchCount(FetchDescriptor<Book>()) == 3)
    // A list of these alone opens what an array of ModelConfiguration does.
    let alone: [any DataStoreConfiguration] = [ModelConfiguration(isStoredInMemoryOnly: true)]
    #expect(try ModelContainer(for: books, configurations: alone).configurations.map(\.name) == ["default"])
    let refused: [any DataStoreConfiguration] = [ModelConfiguration("a/b", schema: books)]
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: books, configurations: refused)
    }
  }

  @Test("A DefaultStore needs a schema, and gives a new model with stored unique values the stored identity")
  func defaultStore() throws {
    #expect(throws: SwiftDataError.unknownSchema) {
      try DefaultStore(ModelConfiguration(isStoredInMemoryOnly: true), migrationPlan: nil)
    }
    let configuration = RelayConfiguration(url: nil)
    let context = ModelContext(try ModelContainer(for: Member.self, configurations: configuration))
    context.insert(Member(number: 1, name: "Ada"))
    try context.save()
    let id = try #require(try context.fetchIdentifiers(FetchDescriptor<Member>()).first)
    let other = ModelContext(context.container)
    let again = Member(number: 1, name: "Ada L.")
    other.insert(again)
    try other.save()
    #expect(again.persistentModelID == id)
    let third = ModelContext(context.container)
    #expect(try third.fetch(FetchDescriptor<Member>()).map(\.name) == ["Ada L."])
  }
}
