import CSQLite
import Foundation
import SwiftData
import Testing

@Model final class Holder {
  // A type without parts: nothing could be stored of it.
  var nothing = Nothing()
  init() {}
}
struct Nothing: Codable {}

struct Renamed: Codable {
  enum CodingKeys: String, CodingKey { case text = "content" }
  var text: String
}
@Model final class Letter {
  var body: Renamed
  init(body: Renamed) { self.body = body }
}

@Model final class Draft {
  var body = Renamed(text: "x")
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

  @Test("A stored case that the source no longer knows ends the program with a sentence")
  func unknownCase() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try readBook(after: "UPDATE ZBOOK SET ZGENRE = 'poem'") { _ = $0.genre }
    }
    #expect(message(result).contains("What the store has for Book.genre is no Genre."))
    #expect(message(result).contains("no case has the raw value poem"))
  }

  @Test("JSON that does not decode ends the program with a sentence")
  func brokenJSON() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try readBook(after: "UPDATE ZBOOK SET ZMARKS = x'7B61'") { _ = $0.size }
    }
    #expect(message(result).contains("What the store has for Book.size is no Size."))
  }

  @Test("A row without a value for a property that needs one ends the program with a sentence")
  func missingValue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try readBook(after: "UPDATE ZBOOK SET ZTITLE = NULL") { _ = $0.title }
    }
    #expect(message(result).contains("Book.title has no value in the store, but is declared without \"?\"."))
  }

  @Test("A type of which nothing can be stored is refused when the schema is made")
  func nothing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Schema([Holder.self])
    }
    #expect(message(result).contains("Holder.nothing is of a type that cannot be stored."))
  }

  @Test("Names of parts that are not those of stored properties end the program with a sentence")
  func codingKeys() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try memory(Letter.self)
      context.insert(Letter(body: Renamed(text: "x")))
    }
    #expect(message(result).contains("A value of Letter.body cannot be stored."))
    #expect(message(result).contains("has no stored property \"content\""))
  }

  @Test("An initial value that cannot be taken apart is refused when the model is made")
  func initialValue() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try memory(Draft.self)
    }
    #expect(message(result).contains("The initial value of Draft.body cannot be stored."))
    #expect(message(result).contains("has no stored property \"content\""))
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

  @Test("A model whose context is gone ends the program with a sentence")
  func contextGone() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let book = Book(isbn: "1", title: "Emma")
      do {
        let context = try memory(Book.self)
        context.insert(book)
        try context.save()
      }
      _ = book.title
    }
    #expect(message(result).contains("A Book was used after its model context was gone."))
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
    #expect(message(result).contains("A model of another context was used."))
  }

  @Test("A model that the container's schema does not have is refused")
  func otherSchema() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try memory(Book.self).insert(Shelf(name: "x"))
    }
    #expect(message(result).contains("The container's schema does not have the model"))
  }
}
