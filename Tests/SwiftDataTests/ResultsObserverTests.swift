import Foundation
import SwiftData
import Synchronization
import TestFiles
import Testing

@Suite("An observer of results")
struct ResultsObserverTests {
  private func filled() throws -> ModelContext {
    let context = try memory(Book.self)
    for number in 0..<4 {
      let book = Book(isbn: "\(number)", title: "T\(number)", pages: number % 2)
      context.insert(book)
    }
    try context.save()
    return context
  }

  @Test("It follows inserts, changes and deletions, and tells who observes it")
  func follows() throws {
    let context = try filled()
    let books = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.pages < 5 }, sortBy: [SortDescriptor(\.title)], modelContext: context)
    #expect(books.results.map(\.title) == ["T0", "T1", "T2", "T3"] && books.sections == nil)
    let told = Atomic(0)
    func observe() {
      withObservationTracking {
        _ = books.results.count
      } onChange: {
        told.add(1, ordering: .relaxed)
      }
    }
    observe()
    context.insert(Book(isbn: "9", title: "S"))
    context.processPendingChanges()
    #expect(books.results.map(\.title) == ["S", "T0", "T1", "T2", "T3"] && told.load(ordering: .relaxed) == 1)
    observe()
    books.results[0].pages = 9
    try context.save()
    #expect(books.results.map(\.title) == ["T0", "T1", "T2", "T3"] && told.load(ordering: .relaxed) == 2)
    observe()
    context.delete(books.results[1])
    try context.save()
    #expect(books.results.map(\.title) == ["T0", "T2", "T3"] && told.load(ordering: .relaxed) == 3)
    observe()
    context.insert(Author(name: "Jane"))
    try context.save()
    #expect(told.load(ordering: .relaxed) == 3)
  }

  @Test("Its sections have the models of one title each")
  func sections() throws {
    let context = try filled()
    let books = try ResultsObserver(
      sortBy: [SortDescriptor(\Book.title, order: .reverse)], sectionBy: \Book.pages, modelContext: context)
    let sections = try #require(books.sections)
    #expect(
      sections.map(\.title) == [0, 1] && sections.map { $0.elements.map(\.title) } == [["T2", "T0"], ["T3", "T1"]])
    #expect(books.element(at: [1, 0]).title == "T3")
    #expect(books.indexPath(for: sections[0].elements[1]) == [0, 1])
    let first = sections[0].elements[1]
    first.pages = 7
    context.processPendingChanges()
    #expect(books.sections?.map(\.title) == [0, 1, 7] && books.indexPath(for: first) == [2, 0])
    context.delete(first)
    try context.save()
    #expect(books.indexPath(for: first) == nil && books.results.count == 3)
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      try ResultsObserver(sectionBy: \Book.summary, modelContext: context)
    }
  }

  @Test("In the main context it takes up what others save")
  @MainActor func merges() async throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    let books = try ResultsObserver<Book, Never>(modelContext: container.mainContext)
    let other = ModelContext(container)
    other.insert(Book(isbn: "1", title: "Emma"))
    try other.save()
    for _ in 0..<200 where books.results.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(books.results.map(\.title) == ["Emma"])
  }

  @Test("It does not outlive its owner, and then hears nothing")
  func ends() throws {
    let context = try filled()
    weak var gone: ResultsObserver<Book, Never>?
    do {
      let books = try ResultsObserver<Book, Never>(modelContext: context)
      gone = books
    }
    #expect(gone == nil)
    context.insert(Book(isbn: "9", title: "S"))
    try context.save()
  }

  @ModelActor
  actor Librarian {
    func titles() throws -> [String] {
      modelContext.insert(Book(isbn: "2", title: "Persuasion"))
      let books = try ResultsObserver<Book, Never>(sortBy: [SortDescriptor(\.title)], modelContainer: modelContainer)
      precondition(books.modelContext == modelContext)
      return books.results.map(\.title)
    }
  }

  @Test("Of a container it takes the context of the actor that it is made on, or makes one")
  @MainActor func ofContainer() async throws {
    let container = try filled().container
    let main = try ResultsObserver<Book, Never>(
      fetchDescriptor: FetchDescriptor(sortBy: [SortDescriptor(\.title)]), modelContainer: container)
    #expect(main.modelContext == container.mainContext && main.results.count == 4)
    let sections = try ResultsObserver(sectionBy: \Book.pages, modelContainer: container)
    #expect(sections.modelContext == container.mainContext && sections.sections?.map(\.title) == [0, 1])
    #expect(try await Librarian(modelContainer: container).titles() == ["Persuasion", "T0", "T1", "T2", "T3"])
    let own = try ResultsObserver(
      fetchDescriptor: FetchDescriptor<Book>(), sectionBy: \.pages, modelContainer: container, isolation: nil)
    #expect(own.modelContext != container.mainContext && own.results.count == 4)
  }

  @Test("The books of a new author stay when the author is saved, and others come in")
  func savedMeanwhile() throws {
    let context = try memory(Book.self)
    let author = Author(name: "Lem")
    context.insert(author)
    let id = author.persistentModelID
    let books = try ResultsObserver<Book, Never>(
      filterBy: #Predicate { $0.author?.persistentModelID == id }, sortBy: [SortDescriptor(\.title)],
      modelContext: context)
    let first = Book(isbn: "1", title: "Eden")
    context.insert(first)
    first.author = author
    try context.save()
    first.pages = 3
    let second = Book(isbn: "2", title: "Solaris")
    context.insert(second)
    second.author = author
    context.processPendingChanges()
    #expect(books.results.map(\.title) == ["Eden", "Solaris"])
  }

  @Test("Without pending changes it shows what is saved, from the save on")
  func savedOnly() throws {
    let context = try filled()
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    descriptor.includePendingChanges = false
    let books = try ResultsObserver<Book, Never>(fetchDescriptor: descriptor, modelContext: context)
    context.insert(Book(isbn: "9", title: "S"))
    context.processPendingChanges()
    #expect(books.results.count == 4)
    try context.save()
    #expect(books.results.map(\.title) == ["S", "T0", "T1", "T2", "T3"])
  }
}
