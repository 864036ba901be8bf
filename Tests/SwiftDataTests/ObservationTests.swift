import Foundation
import SwiftData
import TestFiles
import Testing

/// Which of a model's properties were told of. Each is looked at again after it was, as a view does.
private final class Watcher<M: PersistentModel> {
  nonisolated(unsafe) private(set) var seen: [String] = []
  private let looks: [String: () -> Void]

  init(_ looks: [(String, () -> Void)]) {
    self.looks = Dictionary(uniqueKeysWithValues: looks)
    for (name, _) in looks { watch(name) }
  }

  private func watch(_ name: String) {
    // The model keeps the closure, and the looks keep the model.
    nonisolated(unsafe) weak let watcher = self
    withObservationTracking(looks[name]!) {
      watcher?.seen.append(name)
      // The observer is told before the accessor has set the value, so what it reads then is not looked at here.
      watcher?.watch(name)
    }
  }

  func takeSeen() -> Set<String> {
    defer { seen = [] }
    return Set(seen)
  }
}

private func watch(_ book: Book) -> Watcher<Book> {
  Watcher([("title", { _ = book.title }), ("author", { _ = book.author }), ("size", { _ = book.size })])
}
private func watch(_ author: Author) -> Watcher<Author> {
  Watcher([("name", { _ = author.name }), ("books", { _ = author.books })])
}

/// Has a property that it observes by hand.
@Model final class Barometer {
  var number = 0
  init() {}

  var reading: Int {
    _$observationRegistrar.access(self, keyPath: \.reading)
    return 1
  }
  func changeReading() {
    _$observationRegistrar.willSet(self, keyPath: \.reading)
    _$observationRegistrar.didSet(self, keyPath: \.reading)
  }
}

@Suite("Models that are observed")
struct ObservationTests {
  @Test("A computed property is observed by what the class itself tells its registrar")
  func byHand() {
    let barometer = Barometer()
    barometer.changeReading()
    let readings = Watcher<Barometer>([("reading", { _ = barometer.reading }), ("number", { _ = barometer.number })])
    barometer.changeReading()
    #expect(readings.takeSeen() == ["reading"])
    barometer.changeReading()
    #expect(readings.takeSeen() == ["reading"])
  }

  @Test("What another context has saved is observed when it is merged")
  @MainActor func merge() async throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    let context = container.mainContext
    let book = Book(isbn: "1", title: "Emma", author: Author(name: "Jane"))
    context.insert(book)
    try context.save()
    let author = try #require(book.author)
    let (books, authors) = (watch(book), watch(author))
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Book>()).first).title = "Emma, revised"
    try other.save()
    for _ in 0..<500 where !books.seen.contains("title") { try await Task.sleep(for: .milliseconds(10)) }
    #expect(books.takeSeen().contains("title") && book.title == "Emma, revised")
    #expect(!context.hasChanges)
    other.insert(Book(isbn: "2", title: "Persuasion", author: try other.fetch(FetchDescriptor<Author>()).first))
    _ = authors.takeSeen()
    try other.save()
    for _ in 0..<500 where !authors.seen.contains("books") { try await Task.sleep(for: .milliseconds(10)) }
    #expect(authors.seen.contains("books") && Set(author.books.map(\.title)) == ["Emma, revised", "Persuasion"])
  }

  @Test("The other end of a relationship is observed, whichever end is set")
  func inverses() throws {
    let context = try memory(Author.self)
    let (jane, mary) = (Author(name: "Jane"), Author(name: "Mary"))
    let emma = Book(isbn: "1", title: "Emma")
    for model in [jane, mary] { context.insert(model) }
    context.insert(emma)
    let (janes, marys, emmas) = (watch(jane), watch(mary), watch(emma))
    emma.author = jane
    #expect(janes.takeSeen() == ["books"] && marys.takeSeen() == [] && emmas.takeSeen() == ["author"])
    mary.books.append(emma)
    #expect(janes.takeSeen() == ["books"] && marys.takeSeen() == ["books"] && emmas.takeSeen() == ["author"])
    mary.books = []
    #expect(marys.takeSeen() == ["books"] && emmas.takeSeen() == ["author"] && emma.author == nil)
    context.insert(Book(isbn: "2", title: "Persuasion", author: jane))
    #expect(janes.takeSeen() == ["books"] && jane.books.count == 1)
    context.delete(jane.books[0])
    context.processPendingChanges()
    #expect(janes.takeSeen() == ["books"] && jane.books.isEmpty)
  }

  @Test("An end of a one-to-one relationship that loses its partner is observed")
  func oneToOne() throws {
    let context = try memory(Shelf.self)
    let (a, b, c) = (Shelf(name: "a"), Shelf(name: "b"), Shelf(name: "c"))
    for shelf in [a, b, c] { context.insert(shelf) }
    a.next = b
    let watchers = [a, b, c].map { shelf in
      Watcher<Shelf>([("next", { _ = shelf.next }), ("former", { _ = shelf.former })])
    }
    c.next = b
    #expect(watchers.map { $0.takeSeen() } == [["next"], ["former"], ["next"]])
    #expect(a.next == nil && b.former === c)
  }

  @Test("A rollback and an undo are observed")
  func rollbackAndUndo() throws {
    let context = try memory(Author.self)
    let book = Book(isbn: "1", title: "Emma", author: Author(name: "Jane"))
    context.insert(book)
    try context.save()
    let watcher = watch(book)
    book.title = "X"
    _ = watcher.takeSeen()
    context.rollback()
    #expect(watcher.takeSeen().contains("title") && book.title == "Emma")
    let manager = UndoManager()
    context.undoManager = manager
    book.title = "Y"
    context.processPendingChanges()
    _ = watcher.takeSeen()
    manager.undo()
    #expect(watcher.takeSeen().contains("title") && book.title == "Emma")
    manager.redo()
    #expect(watcher.takeSeen().contains("title") && book.title == "Y")
  }

  @Test("Inherited properties are observed where the class above declares them")
  func inherited() throws {
    let context = try memory(FairTrip.self)
    let (fair, stay) = (FairTrip(name: "Fair"), Stay(place: "Basle"))
    context.insert(fair)
    context.insert(stay)
    try context.save()
    let watcher = Watcher<FairTrip>([
      ("stays", { _ = fair.stays }), ("perDiem", { _ = fair.perDiem }), ("hall", { _ = fair.hall }),
    ])
    stay.trip = fair
    #expect(watcher.takeSeen() == ["stays"])
    fair.perDiem = 9
    fair.hall = 8
    _ = watcher.takeSeen()
    context.rollback()
    #expect(watcher.takeSeen() == ["stays", "perDiem", "hall"] && fair.hall == 7 && fair.perDiem == 3)
  }
}
