import Foundation
import SwiftData
import TestFiles
import Testing

@Model private final class Review {
  var book: Book
  init(of book: Book) { self.book = book }
}

@Suite("A model context")
struct ModelContextTests {
  @Test("Inserting the root of a graph inserts what it refers to, and inverses agree")
  func graph() throws {
    let context = try memory(Author.self)
    let author = Author(name: "Jane")
    let book = Book(isbn: "1", title: "Emma", author: author)
    context.insert(book)
    #expect(author.modelContext == context && author.books == [book])
    author.books.append(Book(isbn: "2", title: "Persuasion"))
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 2)
    #expect(context.hasChanges && context.insertedModelsArray.count == 3)
    try context.save()
    #expect(!context.hasChanges && !book.hasChanges)
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    #expect(found !== author && Set(found.books.map(\.title)) == ["Emma", "Persuasion"])
    #expect(found.books.allSatisfy { $0.author === found })
  }

  @Test("Set in an initializer, a relationship with ? inserts the new model as well, one without does not")
  func relatedInInitializer() throws {
    let context = try memory(Trip.self, Review.self)
    let trip = Trip(name: "Sea")
    context.insert(trip)
    #expect(Stay(place: "Inn", trip: trip).modelContext == context)
    let book = Book(isbn: "1", title: "Emma")
    context.insert(book)
    let review = Review(of: book)
    #expect(review.modelContext == nil && review.book === book)
    context.insert(review)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Review>()) == 1)
  }

  @Test("A new model goes into the context of what a relationship of it is set to", arguments: [true, false])
  func joining(saved: Bool) throws {
    let context = try memory(Author.self, Garden.Plant.self)
    let author = Author(name: "Jane")
    let loose = Book(isbn: "0", title: "Sanditon")
    loose.author = Author(name: "Nobody")
    #expect(loose.modelContext == nil)
    context.insert(author)
    if saved { try context.save() }
    let book = Book(isbn: "1", title: "Emma")
    #expect(book.modelContext == nil)
    book.author = author
    #expect(book.modelContext == context && author.books == [book])
    let plant = Garden.Plant()
    context.insert(plant)
    let bed = Garden.Bed(number: 1)
    bed.plants = [plant]
    #expect(bed.modelContext == context && plant.bed === bed)
    context.delete(author)
    let late = Book(isbn: "2", title: "Persuasion")
    late.author = author
    #expect(late.modelContext == nil)
    late.author = nil
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Garden.Bed>()) == 1)
  }

  @Test("A fetch gives the model that is there already")
  func identity() throws {
    let context = try memory(Author.self)
    let author = Author(name: "Jane")
    context.insert(author)
    #expect(try context.fetch(FetchDescriptor<Author>()).first === author)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Author>()).first === author)
  }

  @Test("Delete rules are followed, and a deleted model keeps what it held")
  func cascade() throws {
    let context = try memory(Author.self)
    let author = Author(name: "Jane")
    let book = Book(isbn: "1", title: "Emma", author: author)
    context.insert(book)
    try context.save()
    let id = book.persistentModelID
    context.delete(author)
    #expect(author.isDeleted)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
    #expect(!book.isDeleted && !author.isDeleted && book.modelContext == nil)
    #expect(book.title == "Emma" && book.persistentModelID == id)
  }

  @Test("Models are deleted by a predicate")
  func deleteWhere() throws {
    let context = try memory(Book.self)
    for number in 0..<5 { context.insert(Book(isbn: "\(number)", title: "T\(number)", pages: number)) }
    try context.save()
    try context.delete(model: Book.self, where: #Predicate { $0.pages > 2 })
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])).map(\.pages) == [0, 1, 2])
    try context.delete(model: Book.self)
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test("A unique value that is stored already is updated", arguments: [true, false], [true, false])
  func upsert(inFile: Bool, keepsFirst: Bool) throws {
    let folder = TemporaryFolder()
    let context = try inFile ? library(folder.file()) : memory(Book.self)
    var first: Book? = Book(isbn: "1", title: "Emma", pages: 3)
    context.insert(try #require(first))
    try context.save()
    if !keepsFirst { first = nil }
    let second = Book(isbn: "1", title: "Emma, revised", pages: 4)
    context.insert(second)
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Book>())
    #expect(found.map(\.title) == ["Emma, revised"] && found.map(\.pages) == [4])
    #expect(second.title == "Emma, revised")
    // The second model stands for the stored row now, or, beside the first one, for none.
    #expect(first == nil ? second.modelContext == context : second.modelContext == nil)
    let living = first ?? second
    living.pages = 9
    try context.save()
    let third = ModelContext(context.container)
    #expect(try third.fetch(FetchDescriptor<Book>()).map(\.pages) == [9])
  }

  @Test(
    "An update by a unique value brings its relationships: to-one is replaced, to-many grows", arguments: [true, false])
  func upsertWithRelationships(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = try inFile ? library(folder.file()) : memory(Book.self)
    let (jane, mary) = (Author(name: "Jane"), Author(name: "Mary"))
    context.insert(Book(isbn: "1", title: "Emma", author: jane))
    context.insert(mary)
    try context.save()
    // The same book by another author, and the same author with another book.
    context.insert(Book(isbn: "1", title: "Emma", author: mary))
    let again = Author(name: "Jane")
    again.books = [Book(isbn: "2", title: "Persuasion")]
    context.insert(again)
    try context.save()
    let other = ModelContext(context.container)
    let authors = try other.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
    #expect(authors.map(\.name) == ["Jane", "Mary"])
    #expect(authors.map { $0.books.map(\.title) } == [["Persuasion"], ["Emma"]])
    #expect(jane.books.map(\.title) == ["Persuasion"] && mary.books.map(\.title) == ["Emma"])
  }

  @Test("Of many new models with stored values each stands for its own stored one", arguments: [true, false])
  func manyUpserts(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = try inFile ? library(folder.file()) : memory(Book.self)
    for number in 0..<30 { context.insert(Book(isbn: "\(number)", title: "First")) }
    try context.save()
    nonisolated(unsafe) var told: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
      told = $0.userInfo?[ModelContext.NotificationKey.updatedIdentifiers.rawValue] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let books = (10..<40).map { Book(isbn: "\($0)", title: "Second", pages: $0) }
    for book in books { context.insert(book) }
    try context.save()
    #expect(books.allSatisfy { $0.modelContext == context && $0.title == "Second" })
    #expect(books.map(\.isbn) == (10..<40).map(String.init) && Set(told) == Set(books.prefix(20).map(\.id)))
    for book in books { book.pages += 100 }
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Book>())
    #expect(found.count == 40)
    for book in found {
      let number = try #require(Int(book.isbn))
      #expect(book.pages == (number < 10 ? 0 : number + 100) && book.title == (number < 10 ? "First" : "Second"))
    }
  }

  @Test("Of new models that are equal in a unique value the first stays, as the last is; the others have no context")
  func equalNewModels() throws {
    let context = try memory(Book.self)
    let books = (1...3).map { Book(isbn: "1", title: "Emma", pages: $0) }
    for book in books { context.insert(book) }
    try context.save()
    #expect(books.map { $0.modelContext == context } == [true, false, false] && books.map(\.pages) == [3, 2, 3])
    #expect(try context.fetch(FetchDescriptor<Book>()) == [books[0]])
  }

  @Test("An identity of an unsaved model leads to it, however many there are")
  func unsavedIdentities() throws {
    let context = try memory(Book.self)
    for number in 0..<2000 { context.insert(Book(isbn: "\(number)", title: "T", pages: number)) }
    let ids = try context.fetchIdentifiers(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]))
    #expect(ids.count == 2000 && ids.enumerated().allSatisfy { (context.model(for: $1) as? Book)?.pages == $0 })
    // Of those that come later too.
    let late = Book(isbn: "late", title: "T")
    context.insert(late)
    let id = late.persistentModelID
    #expect((context.registeredModel(for: id) as Book?) === late && context.model(for: ids[7]) is Book)
    context.rollback()
    #expect((context.registeredModel(for: id) as Book?) == nil)
    context.insert(late)
    #expect((context.registeredModel(for: late.persistentModelID) as Book?) === late)
  }

  @Test("A rollback drops inserts, deletions and changes")
  func rollback() throws {
    let context = try memory(Book.self)
    let (kept, deleted) = (Book(isbn: "1", title: "Emma"), Book(isbn: "2", title: "Persuasion"))
    context.insert(kept)
    context.insert(deleted)
    try context.save()
    let new = Book(isbn: "3", title: "Sanditon")
    context.insert(new)
    kept.title = "X"
    context.delete(deleted)
    context.rollback()
    #expect(!context.hasChanges && kept.title == "Emma" && !deleted.isDeleted)
    #expect(new.modelContext == nil && new.title == "Sanditon")
    context.insert(new)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3)
  }

  @Test("A model whose insertion is rolled back keeps its relationships for another one, until the next save")
  func rollbackKeepsRelationships() throws {
    let context = try memory(Author.self)
    let jane = Author(name: "Jane")
    context.insert(jane)
    try context.save()
    let mary = Author(name: "Mary")
    mary.books = [Book(isbn: "1", title: "Mathilda")]
    let emma = Book(isbn: "2", title: "Emma", author: jane)
    context.insert(mary)
    context.insert(emma)
    context.rollback()
    #expect(mary.books.map(\.title) == ["Mathilda"] && mary.books[0].author === mary && emma.author === jane)
    #expect(jane.books.isEmpty && mary.books[0].modelContext == nil && !context.hasChanges)
    context.insert(mary)
    context.insert(emma)
    #expect(jane.books == [emma])
    try context.save()
    let other = ModelContext(context.container)
    let books = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))
    #expect(books.map { $0.author?.name } == ["Mary", "Jane"])
  }

  @Test("A rolled back model that is inserted into another context leaves behind what leads into the first")
  func rolledBackInsertedElsewhere() throws {
    let context = try memory(Author.self)
    let jane = Author(name: "Jane")
    context.insert(jane)
    try context.save()
    let emma = Book(isbn: "2", title: "Emma", author: jane)
    let mary = Author(name: "Mary")
    mary.books = [Book(isbn: "1", title: "Mathilda")]
    context.insert(emma)
    context.insert(mary)
    context.rollback()
    let other = ModelContext(context.container)
    other.insert(emma)
    other.insert(mary)
    #expect(emma.author == nil && mary.books.map(\.title) == ["Mathilda"])
    try other.save()
    #expect(try other.fetchCount(FetchDescriptor<Book>()) == 2 && jane.books.isEmpty)
  }

  @Test("Rolled back models that lead to each other are freed with the context's next save")
  func rolledBackAreFreed() throws {
    let context = try memory(Author.self)
    weak var gone: Author?
    do {
      let author = Author(name: "Jane")
      author.books = [Book(isbn: "1", title: "Emma")]
      context.insert(author)
      context.rollback()
      gone = author
    }
    try context.save()
    #expect(gone == nil)
  }

  @Test("A chain of models is inserted by its first one, however long it is, in the order of the chain")
  func longChain() throws {
    let context = try memory(Shelf.self)
    var shelves = (0..<20_000).map { Shelf(name: "\($0)") }
    for (shelf, next) in zip(shelves, shelves.dropFirst()) { shelf.next = next }
    context.insert(shelves[0])
    #expect(context.insertedModelsArray.count == shelves.count && shelves.last?.former === shelves[shelves.count - 2])
    try context.save()
    let other = ModelContext(context.container)
    var descriptor = FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.persistentModelID)])
    descriptor.fetchLimit = 3
    #expect(try other.fetch(descriptor).map(\.name) == ["0", "1", "2"])
    shelves = []
  }

  @Test("A rollback takes back both ends of a relationship, deletions by a predicate, and what could be undone")
  func rollbackOfRelationships() throws {
    let context = try memory(Author.self)
    let (jane, mary) = (Author(name: "Jane"), Author(name: "Mary"))
    let emma = Book(isbn: "1", title: "Emma", author: jane)
    context.insert(emma)
    context.insert(mary)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    emma.author = mary
    context.insert(Book(isbn: "2", title: "Persuasion", author: jane))
    try context.delete(model: Author.self, where: #Predicate { $0.name == "Mary" })
    context.processPendingChanges()
    #expect(manager.canUndo)
    context.rollback()
    #expect(emma.author === jane && jane.books == [emma] && mary.books == [] && !mary.isDeleted && !emma.isDeleted)
    #expect(!context.hasChanges && !manager.canUndo)
    #expect(try context.fetchCount(FetchDescriptor<Author>()) == 2)
  }

  @Test("A change is undone")
  func undo() throws {
    let context = try memory(Book.self)
    let book = Book(isbn: "1", title: "Emma")
    context.insert(book)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    book.title = "X"
    context.processPendingChanges()
    manager.undo()
    #expect(book.title == "Emma")
  }

  @Test("Inserts and deletions are undone and redone, and a model whose insertion was undone can be inserted again")
  func undoneInsertion() throws {
    let context = try memory(Book.self)
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    func step(_ body: () -> Void) {
      manager.beginUndoGrouping()
      body()
      context.processPendingChanges()
      manager.endUndoGrouping()
    }
    let book = Book(isbn: "1", title: "Emma")
    step { context.insert(book) }
    manager.undo()
    #expect(book.modelContext == nil && book.title == "Emma" && !context.hasChanges)
    manager.redo()
    #expect(book.modelContext == context && context.insertedModelsArray.count == 1)
    manager.undo()
    step { context.insert(book) }
    try context.save()
    #expect(book.modelContext == context)
    let other = ModelContext(context.container)
    #expect(try other.fetch(FetchDescriptor<Book>()).map(\.title) == ["Emma"])
    step { context.delete(book) }
    #expect(book.isDeleted)
    manager.undo()
    #expect(!book.isDeleted && book.title == "Emma")
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test("A new model that was deleted before a save leads to others again, and joins them in their context")
  func discarded() throws {
    let context = try memory(Author.self)
    let (author, book) = (Author(name: "Jane"), Book(isbn: "1", title: "Emma", pages: 3))
    context.insert(author)
    context.insert(book)
    context.delete(book)
    try context.save()
    #expect(book.modelContext == nil)
    // She is in no context either.
    book.author = Author(name: "Ann")
    #expect(book.modelContext == nil && book.author?.name == "Ann" && book.pages == 3)
    book.author = nil
    book.author = author
    #expect(book.modelContext == context && author.books == [book])
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Book>())
    #expect(found.map(\.title) == ["Emma"] && found.first?.author?.name == "Jane" && found.first?.pages == 3)
  }

  @Test("So does a new model whose insertion was undone, at the end of one and of many")
  func undoneAndRelated() throws {
    let context = try memory(Author.self)
    let (author, stored) = (Author(name: "Jane"), Book(isbn: "0", title: "Persuasion"))
    context.insert(author)
    context.insert(stored)
    try context.save()
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    func step(_ body: () -> Void) {
      manager.beginUndoGrouping()
      body()
      context.processPendingChanges()
      manager.endUndoGrouping()
    }
    let (book, other) = (Book(isbn: "1", title: "Emma"), Author(name: "Ann"))
    step {
      context.insert(book)
      context.insert(other)
    }
    manager.undo()
    manager.redo()
    #expect(book.modelContext == context && other.modelContext == context)
    manager.undo()
    #expect(book.modelContext == nil && other.modelContext == nil)
    step {
      book.author = author
      other.books = [stored]
    }
    #expect(book.modelContext == context && other.modelContext == context && stored.author === other)
    try context.save()
    let books = try ModelContext(context.container).fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))
    #expect(books.map { $0.author?.name } == ["Ann", "Jane"])
  }

  @Test("A model that left one context for another keeps what is not persistent until that one has saved it")
  func keptByTheNextContext() throws {
    let one = try memory(Book.self)
    let two = ModelContext(one.container)
    let manager = UndoManager()
    one.undoManager = manager
    do {
      let book = Book(isbn: "1", title: "Emma")
      one.insert(book)
      one.processPendingChanges()
      manager.undo()
      #expect(book.modelContext == nil)
      two.insert(book)
      book.changes = 7
    }
    one.insert(Book(isbn: "2", title: "Persuasion"))
    try one.save()
    #expect((two.insertedModelsArray.first as? Book)?.changes == 7)
    try two.save()
    #expect(try two.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isbn == "1" })).first?.changes == 0)
  }

  @Test("A model that is to be deleted and is inserted again stays, saved or not")
  func insertedAgain() throws {
    let context = try memory(Book.self)
    let (saved, new) = (Book(isbn: "1", title: "Emma"), Book(isbn: "2", title: "Persuasion"))
    context.insert(saved)
    try context.save()
    context.insert(new)
    for book in [saved, new] { context.delete(book) }
    context.processPendingChanges()
    #expect(new.modelContext == nil && new.title == "Persuasion")
    for book in [saved, new] { context.insert(book) }
    #expect(!saved.isDeleted && new.modelContext == context)
    try context.save()
    let other = ModelContext(context.container)
    let found = try other.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)]))
    #expect(found.map(\.title) == ["Emma", "Persuasion"])
  }

  @Test(
    "A model that another context has deleted is deleted once that is merged, and keeps what was read of it", keepsRows)
  @MainActor func deletedElsewhere() async throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    let book = Book(isbn: "1", title: "Emma")
    container.mainContext.insert(book)
    try container.mainContext.save()
    let other = ModelContext(container)
    try other.delete(model: Book.self)
    try other.save()
    for _ in 0..<500 where !book.isDeleted { try await Task.sleep(for: .milliseconds(10)) }
    #expect(book.isDeleted && book.modelContext == nil && book.title == "Emma")
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test("A transaction whose block throws saves nothing, and leaves its changes to you")
  func failedTransaction() throws {
    struct Stop: Error {}
    let context = try memory(Book.self)
    #expect(throws: Stop.self) {
      try context.transaction {
        context.insert(Book(isbn: "1", title: "Emma"))
        throw Stop()
      }
    }
    #expect(context.insertedModelsArray.count == 1)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test("A transaction saves what its block has done")
  func transaction() throws {
    let context = try memory(Book.self)
    try context.transaction { context.insert(Book(isbn: "1", title: "Emma")) }
    #expect(!context.hasChanges)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test("Notifications of a save name the models")
  func notifications() throws {
    let context = try memory(Book.self)
    let (book, other) = (Book(isbn: "1", title: "Emma"), Book(isbn: "2", title: "Persuasion"))
    context.insert(book)
    try context.save()
    nonisolated(unsafe) var seen: [String] = []
    nonisolated(unsafe) var identifiers: [String: [PersistentIdentifier]] = [:]
    let observers = [ModelContext.willSave, ModelContext.didSave].map { name in
      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) { notification in
        seen.append(name.rawValue)
        for (key, value) in notification.userInfo ?? [:] {
          identifiers[key as! String] = value as? [PersistentIdentifier]
        }
      }
    }
    defer { observers.forEach(NotificationCenter.default.removeObserver) }
    context.insert(other)
    book.title = "X"
    try context.save()
    #expect(seen == [ModelContext.willSave.rawValue, ModelContext.didSave.rawValue])
    #expect(identifiers[ModelContext.NotificationKey.insertedIdentifiers.rawValue] == [other.persistentModelID])
    #expect(identifiers[ModelContext.NotificationKey.updatedIdentifiers.rawValue] == [book.persistentModelID])
    #expect(identifiers == ["inserted": [other.persistentModelID], "updated": [book.persistentModelID], "deleted": []])
    let id = book.persistentModelID
    context.delete(book)
    try context.save()
    #expect(identifiers[ModelContext.NotificationKey.deletedIdentifiers.rawValue] == [id])
  }

  @Test("An identity leads to the model in every context, also after it was written down as JSON")
  func identifiers() throws {
    let folder = TemporaryFolder()
    let context = try library(folder.file())
    let book = Book(isbn: "1", title: "Emma")
    context.insert(book)
    #expect((context.model(for: book.persistentModelID) as? Book) === book)
    try context.save()
    let id = book.persistentModelID
    #expect(id.entityName == "Book" && id.storeIdentifier != nil)
    let data = try JSONEncoder().encode(id)
    let again = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(again == id && again.hashValue == id.hashValue)
    let json = try #require(try JSONSerialization.jsonObject(with: data) as? [String: [String: Any]])
    #expect(json["implementation"]?["primaryKey"] as? String == "p1")
    let other = try library(folder.file())
    #expect(other.registeredModel(for: again) as Book? == nil)
    #expect((other.model(for: again) as? Book)?.title == "Emma")
    let same: Book? = context.registeredModel(for: again)
    #expect(same === book)
    #expect(try other.fetchIdentifiers(FetchDescriptor<Book>()) == [id])
  }

  @Test("The values of a model in two contexts are merged by property")
  func twoContexts() throws {
    let folder = TemporaryFolder()
    let one = try library(folder.file())
    one.insert(Book(isbn: "1", title: "Emma"))
    try one.save()
    let other = ModelContext(one.container)
    let mine = try #require(try one.fetch(FetchDescriptor<Book>()).first)
    let theirs = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    mine.title = "X"
    theirs.pages = 5
    try one.save()
    try other.save()
    let third = ModelContext(one.container)
    let read = try #require(try third.fetch(FetchDescriptor<Book>()).first)
    #expect(read.title == "X" && read.pages == 5)
  }

  @Test("A container is freed with its main context, which saves first, and keeps the stores open while you keep it")
  @MainActor func lifetimeOfMainContext() async throws {
    let folder = TemporaryFolder()
    weak var gone: ModelContainer?
    weak var goneContext: ModelContext?
    func insert(_ isbn: String) throws {
      let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
      container.mainContext.insert(Book(isbn: isbn, title: "Emma"))
      (gone, goneContext) = (container, container.mainContext)
      #expect(goneContext?.container === container)
    }
    try insert("1")
    #expect(gone == nil)
    for _ in 0..<500 where goneContext != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(goneContext == nil)
    #expect(try SQLiteText.rows(folder.file(), "SELECT ZTITLE FROM ZBOOK") == ["Emma"])
    try insert("2")
    let context = try #require(goneContext)
    #expect(gone == nil && context.container.mainContext === context)
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Book>()) == 2)
  }

  @Test("The main context saves by itself, and takes up what others save")
  @MainActor func mainContext() async throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    #expect(container.mainContext.autosaveEnabled)
    let book = Book(isbn: "1", title: "Emma")
    container.mainContext.insert(book)
    for _ in 0..<200 where container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
    #expect(!container.mainContext.hasChanges)
    let other = ModelContext(container)
    try #require(try other.fetch(FetchDescriptor<Book>()).first).title = "X"
    try other.save()
    for _ in 0..<200 where book.title != "X" { try await Task.sleep(for: .milliseconds(10)) }
    #expect(book.title == "X")
  }

  @Test("Models are enumerated in batches")
  func enumerate() throws {
    let folder = TemporaryFolder()
    let context = try library(folder.file())
    for number in 0..<25 { context.insert(Book(isbn: "\(number)", title: "T", pages: number)) }
    try context.save()
    var sum = 0
    try context.enumerate(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)]), batchSize: 10) { sum += $0.pages }
    #expect(sum == 300)
  }

  @Test("Models of several stores of one container are in their own file")
  func twoStores() throws {
    let folder = TemporaryFolder()
    let configurations = [
      ModelConfiguration("books", schema: Schema([Book.self]), url: folder.file("books.store")),
      ModelConfiguration("garden", schema: Schema([Garden.Bed.self]), url: folder.file("garden.store")),
    ]
    let container = try ModelContainer(
      for: Schema([Book.self, Garden.Bed.self]), configurations: configurations)
    let context = ModelContext(container)
    context.insert(Book(isbn: "1", title: "Emma"))
    context.insert(Garden.Bed(number: 1))
    try context.save()
    let books = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file("books.store")))
    #expect(try ModelContext(books).fetchCount(FetchDescriptor<Book>()) == 1)
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema([Book.self, Garden.Bed.self]), configurations: [configurations[0], configurations[0]])
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Schema([Book.self]), configurations: [configurations[1]])
    }
  }

  @Test("Configurations without names have a file each, and a file is the same alone and beside others")
  func unnamedStores() throws {
    let folder = TemporaryFolder()
    let (books, garden) = (folder.file("books.store"), folder.file("garden.store"))
    func alone<M: PersistentModel>(_ type: M.Type, _ file: URL) throws -> ModelContext {
      ModelContext(try ModelContainer(for: type, configurations: ModelConfiguration(url: file)))
    }
    let first = try alone(Book.self, books)
    first.insert(Book(isbn: "0", title: "Persuasion"))
    try first.save()
    func both() throws -> ModelContext {
      let container = try ModelContainer(
        for: Schema([Book.self, Garden.Bed.self]),
        configurations: ModelConfiguration(schema: Schema([Book.self]), url: books),
        ModelConfiguration(schema: Schema([Garden.Bed.self]), url: garden))
      #expect(container.configurations.map(\.name) == ["default", "default"])
      return ModelContext(container)
    }
    for number in 1...2 {
      let context = try both()
      context.insert(Book(isbn: "\(number)", title: "Emma"))
      context.insert(Garden.Bed(number: number))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Book>()) == number + 1)
      #expect(try context.fetchCount(FetchDescriptor<Garden.Bed>()) == number)
    }
    #expect(try alone(Book.self, books).fetchCount(FetchDescriptor<Book>()) == 3)
    #expect(try alone(Garden.Bed.self, garden).fetchCount(FetchDescriptor<Garden.Bed>()) == 2)
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema([Book.self, Garden.Bed.self]),
        configurations: ModelConfiguration(schema: Schema([Book.self]), url: books),
        ModelConfiguration(schema: Schema([Garden.Bed.self]), url: books))
    }
  }

  @Test("Stores in memory without names hold each its own models")
  func unnamedMemory() throws {
    let container = try ModelContainer(
      for: Book.self, Garden.Bed.self,
      configurations: ModelConfiguration(for: Book.self, isStoredInMemoryOnly: true),
      ModelConfiguration(for: Garden.Bed.self, isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let (book, bed) = (Book(isbn: "1", title: "Emma"), Garden.Bed(number: 1))
    context.insert(book)
    context.insert(bed)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Garden.Bed>()) == 1)
    #expect(book.persistentModelID.storeIdentifier != bed.persistentModelID.storeIdentifier)
  }

  @Test("A store that may not be saved to refuses")
  func readOnly() throws {
    let folder = TemporaryFolder()
    let context = try library(folder.file())
    context.insert(Book(isbn: "1", title: "Emma"))
    try context.save()
    let container = try ModelContainer(
      for: Book.self, configurations: ModelConfiguration(url: folder.file(), allowsSave: false))
    let reader = ModelContext(container)
    try #require(try reader.fetch(FetchDescriptor<Book>()).first).title = "X"
    #expect(throws: (any Error).self) { try reader.save() }
  }

  @Test("A configuration whose name makes no file name is refused, and a store that does not open tells why")
  func names() throws {
    let schema = Schema([Book.self])
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(for: schema, configurations: ModelConfiguration("a/b"))
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelContainer(for: schema, configurations: ModelConfiguration(String(repeating: "é", count: 130)))
    }
    let folder = TemporaryFolder()
    let file = folder.file()
    try Data("no database".utf8).write(to: file)
    let refusal = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: schema, configurations: ModelConfiguration(url: file))
    }
    let error = try #require(refusal)
    #expect(error == .loadIssueModelContainer && error.description.contains(file.path))
    let reason = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
    #expect(reason.domain == NSCocoaErrorDomain)
    #expect(error.localizedDescription.contains(reason.localizedDescription))
    #expect(try Data(contentsOf: file) == Data("no database".utf8))
  }

  @Test("Erasing removes the file")
  func erase() throws {
    let folder = TemporaryFolder()
    let context = try library(folder.file())
    context.insert(Book(isbn: "1", title: "Emma"))
    try context.save()
    try context.container.erase()
    #expect(try library(folder.file()).fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test("After its data was deleted a container goes on, with the same main context", arguments: [true, false])
  @MainActor func goingOn(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(
      for: Book.self,
      configurations: inFile ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true))
    let (context, other) = (container.mainContext, ModelContext(container))
    let (saved, unsaved) = (Book(isbn: "1", title: "Emma"), Book(isbn: "2", title: "Lady Susan"))
    context.insert(saved)
    try context.save()
    let fetched = try #require(try other.fetch(FetchDescriptor<Book>()).first)
    fetched.title = "Emma!"
    context.insert(unsaved)
    for title in ["Persuasion", "Sanditon"] {
      container.deleteAllData()
      #expect(!context.hasChanges)
      #expect(try context.fetch(FetchDescriptor<Book>()).isEmpty)
      #expect(saved.modelContext == nil && unsaved.modelContext == nil && unsaved.title == "Lady Susan")
      context.insert(Book(isbn: "1", title: title))
      try context.save()
      #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title) == [title])
      if inFile { #expect(try library(folder.file()).fetch(FetchDescriptor<Book>()).map(\.title) == [title]) }
      #expect(!other.hasChanges && fetched.modelContext == nil)
      #expect(try other.fetch(FetchDescriptor<Book>()).map(\.title) == [title])
    }
  }

  @Test("So it does where an actor deletes it, and where models were never asked for")
  func goingOnElsewhere() async throws {
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let librarian = Librarian(modelContainer: container)
    let id = try await librarian.add("Emma")
    try container.erase()
    let second = try await librarian.add("Persuasion")
    #expect(id != second)
    #expect(await librarian.title(second) == "Persuasion")
    #expect(try ModelContext(container).fetch(FetchDescriptor<Book>()).map(\.title) == ["Persuasion"])
  }

  @Test("A model whose store was erased keeps its attributes, and may be inserted again", keepsRows)
  func erasedModel() throws {
    let context = try memory(Book.self)
    let book = Book(isbn: "1", title: "Emma", pages: 474, author: Author(name: "Jane"))
    context.insert(book)
    try context.save()
    try context.container.erase()
    #expect(!context.hasChanges)
    #expect(book.title == "Emma" && book.pages == 474 && book.author == nil && book.modelContext == nil)
    context.insert(book)
    try context.save()
    let found = try ModelContext(context.container).fetch(FetchDescriptor<Book>())
    #expect(found.map(\.pages) == [474] && found.map(\.author) == [nil])
  }

  @Test("Each of several stores is erased and goes on; one that may not be saved to refuses")
  func severalErased() throws {
    let folder = TemporaryFolder()
    func open(allowsSave: Bool) throws -> ModelContainer {
      try ModelContainer(
        for: Book.self, Garden.Bed.self,
        configurations: ModelConfiguration(schema: Schema([Book.self]), url: folder.file(), allowsSave: allowsSave),
        ModelConfiguration("beds", schema: Schema([Garden.Bed.self]), isStoredInMemoryOnly: true))
    }
    do {
      let container = try open(allowsSave: true)
      let context = ModelContext(container)
      for number in 1...2 {
        if number == 2 { try container.erase() }
        context.insert(Book(isbn: "\(number)", title: "T"))
        context.insert(Garden.Bed(number: number))
        try context.save()
      }
      let other = ModelContext(container)
      #expect(try other.fetch(FetchDescriptor<Book>()).map(\.isbn) == ["2"])
      #expect(try other.fetch(FetchDescriptor<Garden.Bed>()).map(\.number) == [2])
    }
    let reader = try open(allowsSave: false)
    let refusal = #expect(throws: CocoaError.self) { try reader.erase() }
    #expect(refusal?.code == .fileWriteNoPermission)
    #expect(try ModelContext(reader).fetch(FetchDescriptor<Book>()).map(\.isbn) == ["2"])
  }

  @Test(
    "The models of a relationship are in the order of their keys, then new ones as they were appended",
    arguments: [true, false])
  func memberOrder(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(
      for: Book.self,
      configurations: inFile ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let author = Author(name: "Jane")
    context.insert(author)
    let isbns = (0..<20).map(String.init)
    for isbn in isbns { author.books.append(Book(isbn: isbn, title: "T")) }
    #expect(author.books.map(\.isbn) == isbns)
    try context.save()
    #expect(author.books.map(\.isbn) == isbns)
    let other = ModelContext(container)
    let found = try #require(try other.fetch(FetchDescriptor<Author>()).first)
    #expect(found.books.map(\.isbn) == isbns)
    found.books.insert(contentsOf: ["b", "a"].map { Book(isbn: $0, title: "T") }, at: 3)
    #expect(found.books.map(\.isbn) == isbns + ["b", "a"])
    found.books.removeAll { $0.isbn == "7" }
    #expect(found.books.map(\.isbn) == isbns.filter { $0 != "7" } + ["b", "a"])
    try other.save()
    #expect(found.books.map(\.isbn) == isbns.filter { $0 != "7" } + ["b", "a"])
  }

  @Test("A model that is twice in an array counts once; a new model's array keeps its order when it is inserted")
  func repeatedMembers() throws {
    let context = try memory(Book.self)
    let author = Author(name: "Jane")
    let books = ["3", "1", "2"].map { Book(isbn: $0, title: "T") }
    author.books = books
    context.insert(author)
    #expect(author.books.map(\.isbn) == ["3", "1", "2"])
    author.books = books + [books[0]]
    author.books.append(books[1])
    #expect(author.books.map(\.isbn) == ["3", "1", "2"])
    let second = Author(name: "Franz")
    context.insert(second)
    let others = ["6", "4", "5"].map { Book(isbn: $0, title: "T") }
    second.books = [others[0], others[1], others[0], others[2], others[1]]
    #expect(second.books.map(\.isbn) == ["6", "4", "5"])
    try context.save()
    author.books.append(books[2])
    author.books.insert(books[1], at: 0)
    #expect(author.books.map(\.isbn) == ["3", "1", "2"])
    author.books = [books[2], books[0]]
    #expect(author.books.map(\.isbn) == ["3", "2"] && books[1].author == nil)
    try context.save()
    #expect(second.books.map(\.isbn) == ["6", "4", "5"])
  }

  @Test("Changing a relationship takes no deletion back")
  func deletionStays() throws {
    let container = try ModelContainer(
      for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let author = Author(name: "A")
    context.insert(author)
    author.books = [Book(isbn: "1", title: "A"), Book(isbn: "2", title: "B")]
    try context.save()
    let gone = try #require(author.books.first { $0.isbn == "1" })
    context.delete(gone)
    author.books.append(Book(isbn: "3", title: "C"))
    #expect(gone.isDeleted)
    try context.save()
    let other = ModelContext(container)
    let isbns = try other.fetch(FetchDescriptor<Book>()).map(\.isbn)
    #expect(isbns.sorted() == ["2", "3"] && author.books.count == 2)
  }

  @Test("Nor does it bring back a model whose deletion was saved: that is left out, with a warning")
  func savedDeletionStays() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let context = try memory(Author.self, Shelf.self)
      let author = Author(name: "Jane")
      let (shelf, other) = (Shelf(name: "a"), Shelf(name: "b"))
      context.insert(author)
      author.books = [Book(isbn: "1", title: "Emma"), Book(isbn: "2", title: "Persuasion")]
      context.insert(shelf)
      context.insert(other)
      try context.save()
      let former = author.books
      guard let gone = former.first(where: { $0.isbn == "1" }) else { exit(1) }
      context.delete(gone)
      context.delete(other)
      try context.save()
      author.books = former
      shelf.next = other
      if author.books.map(\.isbn) != ["2"] || gone.modelContext != nil { exit(2) }
      let shelves = Shelf(name: "c")
      shelves.next = other
      context.insert(shelves)
      if shelves.next != nil || other.modelContext != nil { exit(7) }
      context.delete(shelves)
      if shelf.next != nil || other.modelContext != nil { exit(3) }
      try context.save()
      if try context.fetchCount(FetchDescriptor<Book>()) != 1 { exit(4) }
      if try context.fetchCount(FetchDescriptor<Shelf>()) != 1 { exit(5) }
      // To insert it is to want it back.
      context.insert(gone)
      author.books.append(gone)
      try context.save()
      if author.books.count != 2 { exit(6) }
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("Author.books was set without a Book whose deletion was saved."))
    #expect(text.contains("Shelf.next was set without a Shelf whose deletion was saved."))
  }
}

@ModelActor actor Librarian {
  func add(_ title: String) throws -> PersistentIdentifier {
    let book = Book(isbn: title, title: title)
    modelContext.insert(book)
    try modelContext.save()
    return book.persistentModelID
  }
  func title(_ id: PersistentIdentifier) -> String? { self[id, as: Book.self]?.title }
  /// Whether the other one came.
  nonisolated private func wait(_ other: DispatchSemaphore) -> Bool { other.wait(timeout: .now() + 60) == .success }
  func meet(saying own: DispatchSemaphore, waitingFor other: DispatchSemaphore) -> Bool {
    own.signal()
    return wait(other)
  }
}

/// A model actor without the macro, over the container's main context.
actor MainLibrarian: ModelActor {
  nonisolated let modelContainer: ModelContainer
  nonisolated let modelExecutor: any ModelExecutor

  @MainActor init(_ modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: modelContainer.mainContext)
  }

  func add(_ title: String) throws -> String? {
    modelContext.insert(Book(isbn: title, title: title))
    try modelContext.save()
    return DispatchQueue.getSpecific(key: MainLibrarian.queue)
  }
  static let queue = DispatchSpecificKey<String>()
}

@Suite("A model actor")
struct ModelActorTests {
  @Test("It has a context of its own, and reads models by identity")
  func actor() async throws {
    let container = try ModelContainer(
      for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let librarian = Librarian(modelContainer: container)
    let id = try await librarian.add("Emma")
    #expect(await librarian.title(id) == "Emma")
    let context = ModelContext(container)
    let titles = try context.fetch(FetchDescriptor<Book>()).map(\.title)
    #expect(titles == ["Emma"])
  }

  @Test("It runs on a queue of its own, while the main actor and other model actors run")
  @MainActor func ownQueue() async throws {
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let (one, other) = (Librarian(modelContainer: container), Librarian(modelContainer: container))
    // Each waits for the other, and the main actor's queue for neither.
    let (oneIsThere, otherIsThere) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let first = one.meet(saying: oneIsThere, waitingFor: otherIsThere)
    async let second = other.meet(saying: otherIsThere, waitingFor: oneIsThere)
    let met = await (first, second)
    #expect(met == (true, true))
  }

  @Test("A model actor made by hand over a main context runs on the main queue, where the context belongs")
  @MainActor func mainContext() async throws {
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let librarian = MainLibrarian(container)
    DispatchQueue.main.setSpecific(key: MainLibrarian.queue, value: "main")
    #expect(try await librarian.add("Emma") == "main")
    #expect(try container.mainContext.fetch(FetchDescriptor<Book>()).map(\.title) == ["Emma"])
  }

  @Test("Many actors write at once")
  func many() async throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<4 {
        group.addTask {
          let librarian = Librarian(modelContainer: container)
          for step in 0..<5 { _ = try await librarian.add("\(number).\(step)") }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 20)
  }
}
