import Foundation
import SwiftData
import Testing

/// Samples are made once, and inserted into one container after the other.
@Suite("Models that outlive their context")
struct OutlivingTests {
  private func sample() -> Author {
    let author = Author(name: "Jane")
    let book = Book(isbn: "1", title: "Emma", author: author)
    book.size = Size(width: 1, height: 2, unit: Size.Unit(name: "cm"))
    book.tags = ["a", "b"]
    author.books = [book, Book(isbn: "2", title: "Persuasion")]
    return author
  }

  private func check(_ author: Author, in context: ModelContext) throws {
    #expect(author.modelContext === context && Set(author.books.map(\.title)) == ["Emma", "Persuasion"])
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))
    #expect(found.map(\.title) == ["Emma", "Persuasion"] && found.map { $0.author?.name } == ["Jane", "Jane"])
    #expect(found.first?.size?.height == 2 && found.first?.tags == ["a", "b"])
  }

  @Test("…are read with what they lead to, whichever of them are kept")
  func read() throws {
    let container = try memory(Author.self).container
    do {
      let context = ModelContext(container)
      context.insert(sample())
      try context.save()
    }
    func all<T: PersistentModel>(_: T.Type) throws -> [T] { try ModelContext(container).fetch(FetchDescriptor<T>()) }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Author>()).first?.name == "Jane")
    #expect(try all(Book.self).map(\.title).sorted() == ["Emma", "Persuasion"])
    var books: [Book]? = try all(Author.self).flatMap(\.books)
    let emma = try #require(books?.first { $0.isbn == "1" })
    #expect(emma.size?.height == 2 && emma.tags == ["a", "b"] && emma.modelContext == nil)
    books = nil
    // Those that led here are gone, and what their context has left with them.
    let author = try #require(emma.author)
    #expect(author.name == "Jane" && author.books.count == 2 && author.modelContext == nil)
    let next = ModelContext(container)
    let known = try #require(next.model(for: emma.persistentModelID) as? Book)
    #expect(known !== emma && known.title == emma.title)
  }

  @Test("…are inserted into the next one with their values and with what they lead to", arguments: [true, false])
  func next(saves: Bool) throws {
    let author = sample()
    do {
      let context = try memory(Author.self)
      context.insert(author)
      if saves { try context.save() }
    }
    #expect(author.modelContext == nil)
    for _ in 0..<2 {
      let context = try memory(Author.self)
      context.insert(author)
      try check(author, in: context)
    }
  }

  @Test("…are inserted by what refers to them, too")
  func referred() throws {
    let author = sample()
    do { try memory(Author.self).insert(author) }
    let context = try memory(Author.self)
    context.insert(Book(isbn: "3", title: "Sanditon", author: author))
    #expect(author.modelContext === context && author.books.count == 3)
  }

  @Test("…go over from a main context that only waits to save by itself")
  @MainActor func waiting() throws {
    let author = sample()
    for _ in 0..<3 {
      let container = try memory(Author.self).container
      container.mainContext.insert(author)
      try check(author, in: container.mainContext)
      author.name = "Jane"
      author.books.first { $0.isbn == "1" }?.pages += 1
    }
    #expect(author.books.map(\.pages).max() == 3)
  }

  @Test("…keep nothing alive when their last change is undone")
  func undone() throws {
    weak var behind: AnyObject?
    var author: Author? = sample()
    do {
      let manager = UndoManager()
      do {
        let context = try memory(Author.self)
        behind = Mirror(reflecting: context).descendant("_nsContext") as AnyObject?
        context.insert(try #require(author))
        try context.save()
        context.undoManager = manager
        author?.name = "Ann"
        context.processPendingChanges()
      }
      manager.undo()
    }
    #expect(author != nil && behind != nil)
    author = nil
    #expect(behind == nil)
  }

  @Test("…leave no store open once they are gone")
  func released() throws {
    weak var behind: AnyObject?
    var author: Author? = sample()
    do {
      let context = try memory(Author.self)
      behind = Mirror(reflecting: context).descendant("_nsContext") as AnyObject?
      context.insert(try #require(author))
      try context.save()
    }
    #expect(author != nil && behind != nil)
    author = nil
    #expect(behind == nil)
  }
}
