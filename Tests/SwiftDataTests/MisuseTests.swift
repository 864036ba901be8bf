import CSQLite
import Foundation
import SwiftData
import TestFiles
import Testing

/// A model without the macro, with a property that no form of a value is known for.
final class Holder: PersistentModel {
  var persistentBackingData: any BackingData<Holder> = Holder.createBackingData()
  var nothing: Nothing { Nothing() }
  init(backingData: any BackingData<Holder>) { persistentBackingData = backingData }
  static var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "nothing", keypath: \Holder.nothing, defaultValue: nil, metadata: nil)]
  }
}
struct Nothing {}

struct Renamed: Codable {
  private enum Keys: CodingKey { case content }
  var text: String
  init(text: String) { self.text = text }
  init(from decoder: any Decoder) throws {
    text = try decoder.container(keyedBy: Keys.self).decode(String.self, forKey: .content)
  }
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Keys.self)
    try values.encode(text, forKey: .content)
  }
}
@Model final class Letter {
  var body: Renamed
  init(body: Renamed) { self.body = body }
}

@Model final class Draft {
  var body = Renamed(text: "x")
  init() {}
}

@Model private final class Box {
  @Relationship(maximumModelCount: 1) var items: [Item] = []
  init() {}
}

@Model private final class Item {
  var number = 0
  init() {}
}

@Model private final class Page {
  var book: Book
  init(book: Book) { self.book = book }
}

@Model class Record {
  var binder: Binder?
  init() {}
}

@Model final class Memo: Record {
  var text = ""
  override init() { super.init() }
}

@Model final class Binder {
  @Relationship(inverse: \Memo.binder) var memos: [Memo] = []
  init() {}
}

/// Stores a book, changes its row behind the stack's back, and hands over the book as another context reads it.
private func readBook(after statement: String, _ read: (Book) -> Void) throws {
  let folder = TemporaryFolder()
  do {
    let context = try library(folder.file())
    let book = Book(isbn: "1", title: "Emma")
    book.size = Size(width: 1, height: 1, unit: Size.Unit(name: "cm"))
    context.insert(book)
    try context.save()
  }
  _ = try SQLiteText.rows(folder.file(), statement)
  let context = try library(folder.file())
  read(try context.fetch(FetchDescriptor<Book>())[0])
}

@Suite("Models that are used as they should not be")
struct MisuseTests {
  private func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }

  /// Whether a program has ended with a report of four parts: what happened, the facts, how it comes about, what to do.
  private func report(
    _ result: ExitTest.Result?, _ what: String, facts: String..., how: String, remedy: String,
    _ place: SourceLocation = #_sourceLocation
  ) {
    // Lines are broken at blanks.
    let text = message(result).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for part in [what] + facts + ["\(how) \(remedy)"] {
      #expect(text.contains(part), "\(message(result).prefix(2000))", sourceLocation: place)
    }
  }

  @Test("A stored case that the source no longer knows ends the program with a sentence")
  func unknownCase() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try readBook(after: "UPDATE ZBOOK SET ZGENRE = 'poem'") { _ = $0.genre }
    }
    report(
      result, "What the store has for Book.genre is no Genre.", facts: "Object: ",
      "Why: no case has the raw value poem",
      how: "It was written when the type had other cases or properties, or by another program.",
      remedy: "Keep the earlier cases, make new properties optional, or migrate the store in a custom stage.")
  }

  @Test("JSON that does not decode ends the program with a sentence")
  func brokenJSON() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try readBook(after: "UPDATE ZBOOK SET ZMARKS = x'7B61'") { _ = $0.size }
    }
    report(
      result, "What the store has for Book.size is no Size.", facts: "Object: ", "Stored: ", "Why: ",
      how: "It was written when the type had other cases or properties, or by another program.",
      remedy: "Keep the earlier cases, make new properties optional, or migrate the store in a custom stage.")
  }

  @Test("A row without a value for a property that needs one ends the program with a sentence")
  func missingValue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try readBook(after: "UPDATE ZBOOK SET ZTITLE = NULL") { _ = $0.title }
    }
    report(
      result, "Book.title has no value in the store, but is declared without \"?\".", facts: "Declared as: String",
      how:
        "The row was written when the property was optional or not there, by another program, or the object has been "
        + "deleted.",
      remedy: "Declare the property as String?, or give it an initial value and migrate the store.")
  }

  @Test("A type of which nothing can be stored is refused when the schema is made")
  func nothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Schema([Holder.self])
    }
    report(
      result, "Holder.nothing is of a type that cannot be stored.", facts: "Declared as: Nothing",
      how: "A persistent property is a simple value, a model, an array of models, or Codable.",
      remedy: "Make the type Codable, name a transformer with `@Attribute(.transformable(by:))`, or mark the property "
        + "@Transient.")
  }

  @Test("An array that may have one member is refused when the schema is made")
  func arrayOfOne() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Schema([Box.self])
    }
    report(
      result, "Box.items is an array that may lead to one Item only.", facts: "Declared as: Array<Item>",
      "maximumModelCount: 1",
      how: "A relationship to at most one model is stored as a to-one relationship, which has no array.",
      remedy: "Declare the property as Item?, or give it another maximumModelCount.")
  }

  @Test("An inverse that a superclass declares is refused when the schema is made into a model")
  func inheritedInverse() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try memory(Record.self, Memo.self, Binder.self)
    }
    report(
      result, "The inverse of Binder.memos, Record.binder, is declared by a superclass of Memo.",
      facts: "Leads to: Memo",
      "Inverse: Record.binder",
      how: "Each Record that leads to a Binder would be a member of its memos, also one that is no Memo.",
      remedy: "Let Binder.memos lead to Record, or name a property as its inverse that Memo declares itself.")
  }

  @Test("A relationship to a class of another version than the schema's ends the program when it is read")
  func otherVersion() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let schema = Schema(versionedSchema: Pets.Before.self)
      let context = ModelContext(
        try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
      let owner = Pets.Owner(name: "Ann")
      context.insert(Pets.Before.Pet(name: "Rex", owner: owner))
      try context.save()
      _ = owner.pets
    }
    report(
      result, "Owner.pets was read where the schema has another version of Pet.",
      facts: "Declared with: SwiftDataTests.Pets.After.Pet", "Schema: SwiftDataTests.Pets.Before.Pet",
      how: "Versions of a schema share Owner, which can be declared with only one version of Pet.",
      remedy: "Fetch the models with a FetchDescriptor<SwiftDataTests.Pets.Before.Pet>, or declare Owner in each "
        + "version.")
  }

  @Test("A relationship that is read after the model's deletion was saved ends the program with that reason")
  func deletedOwner() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try memory(Page.self)
      let page = Page(book: Book(isbn: "1", title: "Emma"))
      context.insert(page)
      try context.save()
      context.delete(page)
      try context.save()
      _ = page.book
    }
    report(
      result, "Page.book was read after the Page's deletion had been saved.", facts: "Declared as: Book",
      how: "A model whose deletion was saved keeps its attributes' values, and leads to no other models.",
      remedy: "Read the relationship before you save, or ask first whether the model's `modelContext` is nil.")
  }

  @Test("A conformance by hand whose keys have no stored property's name ends the program with a sentence")
  func codingKeys() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try memory(Letter.self)
      context.insert(Letter(body: Renamed(text: "x")))
    }
    report(
      result, "A value of Letter.body cannot be stored.", facts: "Type: Renamed", "has no stored property \"content\"",
      how: "The type's `encode(to:)` failed, or writes something else than its stored properties.",
      remedy: "Let the compiler write the type's Codable conformance.")
  }

  @Test("An initial value that cannot be taken apart is refused when the model is made")
  func initialValue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try memory(Draft.self)
    }
    #expect(message(result).contains("The initial value of Draft.body cannot be stored."))
    #expect(message(result).contains("has no stored property \"content\""))
  }

  @Test("A container is released on any thread, without a word")
  func released() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      await Task.detached {
        let container = try! ModelContainer(
          for: Author.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        await MainActor.run {
          container.mainContext.insert(Author(name: "Jane"))
          try! container.mainContext.save()
        }
      }.value
    }
    #expect(!message(result).contains("off its queue"))
  }

  @Test("To an actor, a model that is gone is none, without a word")
  func gone() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      let folder = TemporaryFolder()
      let configuration = ModelConfiguration(url: folder.file())
      let container = try ModelContainer(for: Book.self, configurations: configuration)
      let id = try await Librarian(modelContainer: container).add("Emma")
      let context = ModelContext(container)
      try context.delete(model: Book.self)
      try context.save()
      // A container of its own has read nothing yet.
      let other = Librarian(modelContainer: try ModelContainer(for: Book.self, configurations: configuration))
      if await other.title(id) != nil { exit(1) }
    }
    #expect(result != nil && !message(result).contains("A model could not be read."))
  }

  @Test("What the module takes for granted of this version of Swift is so", arguments: ModelAssumption.allCases)
  func runtime(assumption: ModelAssumption) {
    #expect(assumption.isMet, "\(assumption.rawValue): it is not so. \(assumption.otherwise)")
    #expect(assumption.report.text.contains(assumption.rawValue.prefix(40)))
  }

  @Test("A change of a model whose context is gone ends the program with a sentence")
  func contextGone() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let book = Book(isbn: "1", title: "Emma")
      do {
        let context = try memory(Book.self)
        context.insert(book)
        try context.save()
      }
      book.title = "X"
    }
    report(
      result, "A Book was changed after its model context was gone.", facts: "Property: Book.title",
      how: "Models belong to the context that inserted or fetched them, and do not keep it alive.",
      remedy: "Keep the ModelContext for as long as its models, or hand on their `persistentModelID` and ask another "
        + "context for them.")
  }

  @Test("So does a change of a relationship, of one side or the other", arguments: ["one", "many", "append"])
  func contextGoneOtherwise(_ use: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [use] in
      let (author, book) = (Author(name: "Jane"), Book(isbn: "1", title: "Emma"))
      do {
        let context = try memory(Book.self)
        context.insert(book)
        context.insert(author)
        try context.save()
      }
      switch use {
      case "one": book.author = Author(name: "Ann")
      case "append": author.books.append(Book(isbn: "2", title: "Persuasion"))
      default: author.books = [Book(isbn: "2", title: "Persuasion")]
      }
    }
    let text = message(result)
    #expect(text.contains("context was gone"))
  }

  @Test("So does a change of a model that had left its context, once the context is gone")
  func contextGoneAfterLeaving() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let book = Book(isbn: "1", title: "Emma")
      do {
        let context = try memory(Book.self)
        context.insert(book)
        context.delete(book)
        context.processPendingChanges()
      }
      book.title = "X"
    }
    #expect(message(result).contains("A Book was changed after its model context was gone."))
  }

  @Test("An identity that no store of the container has leads to no model")
  func strangeIdentity() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let folder = TemporaryFolder()
      let (one, other) = (try library(folder.file("a")), try library(folder.file("b")))
      let book = Book(isbn: "1", title: "Emma")
      one.insert(book)
      try one.save()
      _ = other.model(for: book.persistentModelID)
    }
    report(
      result, "No store of the container has a model of this identity.", facts: "Identity: x-coredata://",
      how: "It is of another store, or of a model that was never saved.",
      remedy: "Save the model before its identity is handed on, or use registeredModel(for:).")
  }

  @Test("A model of another context is refused")
  func otherContext() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (one, other) = (try memory(Author.self), try memory(Author.self))
      let author = Author(name: "Jane")
      one.insert(author)
      let book = Book(isbn: "1", title: "Emma")
      other.insert(book)
      book.author = author
    }
    report(
      result, "A model of another context was used.", facts: "Call: ModelContext.insert(_:)", "Model: Author ",
      how: "A model belongs to the context that inserted or fetched it.",
      remedy: "Hand on its `persistentModelID`, and ask the context for the model: `context.model(for: id)`.")
  }

  @Test("A model that the container's schema does not have is refused")
  func otherSchema() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try memory(Book.self).insert(Shelf(name: "x"))
    }
    report(
      result, "The container's schema does not have the model SwiftDataTests.Shelf.", facts: "Schema: ",
      how: "The container was made for other classes, or for another version of this one.",
      remedy: "Name the class where the container is made: `ModelContainer(for: Shelf.self)`.")
  }
}
