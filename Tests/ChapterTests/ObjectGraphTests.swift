import CoreData
import Foundation
import ObjectGraphChapter
import StoreFileReader
import TestFiles
import Testing

@Suite("Chapter 2: objects that know each other", .serialized)
@MainActor
struct ObjectGraphTests {
  let folder: TemporaryFolder
  let url: URL

  init() throws {
    folder = TemporaryFolder()
    url = folder.url.appendingPathComponent(ObjectGraphStack.storeName)
  }

  private func rows(_ sql: String) throws -> [[StoreFileValue]] { try StoreFileReader(contentsOf: url).rows(sql) }

  private func titles(_ books: NSSet?) -> [String] { (books as? Set<Book> ?? []).compactMap(\.title).sorted() }

  /// An author of two books beside a book without an author, saved, in a store whose `Author.books` has that rule.
  private func stack(under rule: NSDeleteRule) throws -> (ObjectGraphStack, Author) {
    let stack = try ObjectGraphStack(folder: folder.url) { model in
      model.entitiesByName["Author"]!.relationshipsByName["books"]!.deleteRule = rule
    }
    let library = Library(context: stack.context)
    let author = library.author("Ursula K. Le Guin")
    library.book("A Wizard of Earthsea", 1968, pages: 205, by: author)
    library.book("The Dispossessed", 1974, pages: 341, by: author)
    library.book("Beowulf", 1815, pages: 213)
    try stack.context.save()
    return (stack, author)
  }

  @Test("Setting one end sets the other, from either side, before any save")
  func bothEnds() throws {
    let stack = try ObjectGraphStack(folder: folder.url)
    let library = Library(context: stack.context)
    let (leGuin, lem) = (library.author("Le Guin"), library.author("Lem"))
    let solaris = library.book("Solaris", 1961, pages: 204, by: leGuin)
    #expect(titles(leGuin.books) == ["Solaris"])
    solaris.author = lem
    #expect(titles(leGuin.books) == [] && titles(lem.books) == ["Solaris"])
    leGuin.addToBooks(solaris)
    #expect(solaris.author === leGuin && titles(lem.books) == [])
    leGuin.books = NSSet()
    #expect(solaris.author == nil)
    leGuin.mutableSetValue(forKey: "books").add(solaris)
    #expect(solaris.author === leGuin)
    #expect(try rows("SELECT Z_PK FROM ZBOOK").isEmpty)
    try stack.close()
  }

  @Test("Without an inverse the two ends tell two stories")
  func oneWay() throws {
    let stack = try ObjectGraphStack(folder: folder.url) { model in
      model.entitiesByName["Author"]!.relationshipsByName["books"]!.inverseRelationship = nil
      model.entitiesByName["Book"]!.relationshipsByName["author"]!.inverseRelationship = nil
    }
    let library = Library(context: stack.context)
    let author = library.author("Le Guin")
    let book = library.book("A Wizard of Earthsea", 1968, pages: 205, by: author)
    try stack.context.save()
    #expect(book.author === author && titles(author.books) == [])
    stack.context.delete(author)
    try stack.context.save()
    #expect(try rows("SELECT ZAUTHOR FROM ZBOOK") == [[.integer(1)]])
    #expect(try rows("SELECT Z_PK FROM ZAUTHOR").isEmpty)
    try stack.close()
  }

  @Test(
    "Each rule leaves the rows that the chapter shows",
    arguments: [
      (NSDeleteRule.nullifyDeleteRule, [StoreFileValue.null, .null, .null]), (.cascadeDeleteRule, [.null]),
      (.noActionDeleteRule, [.integer(1), .integer(1), .null]),
    ])
  func rules(rule: NSDeleteRule, authors: [StoreFileValue]) throws {
    let (stack, author) = try stack(under: rule)
    stack.context.delete(author)
    try stack.context.save()
    #expect(try rows("SELECT ZAUTHOR FROM ZBOOK ORDER BY Z_PK") == authors.map { [$0] })
    #expect(try rows("SELECT Z_PK FROM ZAUTHOR").isEmpty)
    try stack.close()
  }

  @Test("Deny refuses the save, not the delete, and lets go when the books go too")
  func deny() throws {
    let (stack, author) = try stack(under: .denyDeleteRule)
    stack.context.delete(author)
    #expect(author.isDeleted)
    let error = try #require(throws: NSError.self) { try stack.context.save() }
    #expect(error.code == NSValidationRelationshipDeniedDeleteError)
    #expect(error.userInfo[NSValidationObjectErrorKey] as? Author === author)
    #expect(error.userInfo[NSValidationKeyErrorKey] as? String == "books")
    #expect(titles(error.userInfo[NSValidationValueErrorKey] as? NSSet).count == 2)
    for book in author.books as? Set<Book> ?? [] { stack.context.delete(book) }
    try stack.context.save()
    #expect(try rows("SELECT ZTITLE FROM ZBOOK") == [[.text("Beowulf")]])
    try stack.close()
  }

  @Test("A review without a book, a list without books and a book with four tags are not saved")
  func counts() throws {
    let stack = try ObjectGraphStack(folder: folder.url)
    let (context, library) = (stack.context, Library(context: stack.context))
    func refusal() throws -> Int {
      let code = try #require(throws: NSError.self) { try context.save() }.code
      context.rollback()
      return code
    }
    Review(context: context).stars = 5
    #expect(try refusal() == NSValidationMissingMandatoryPropertyError)
    library.list("Winter", [])
    #expect(try refusal() == NSValidationRelationshipLacksMinimumCountError)
    let book = library.book("The Cyberiad", 1965, pages: 295)
    for name in ["a", "b", "c", "d"] { library.tag(name, on: [book]) }
    #expect(try refusal() == NSValidationRelationshipExceedsMaximumCountError)
    try stack.close()
  }

  @Test("Moving a member of an ordered relationship writes its row and no other's place")
  func order() throws {
    let stack = try ObjectGraphStack(folder: folder.url)
    let library = Library(context: stack.context)
    let books = ["a", "b", "c"].map { library.book($0, 2000, pages: 1) }
    let list = library.list("Summer", books)
    try stack.context.save()
    let before = try rows("SELECT Z_FOK_2BOOKS FROM Z_2LISTS ORDER BY Z_2BOOKS")
    list.mutableOrderedSetValue(forKey: "books").moveObjects(at: [2], to: 0)
    try stack.context.save()
    #expect((list.books?.array as? [Book])?.map(\.title) == ["c", "a", "b"])
    let after = try rows("SELECT Z_FOK_2BOOKS FROM Z_2LISTS ORDER BY Z_2BOOKS")
    #expect(zip(before, after).map { $0 == $1 } == [true, true, false])
    try stack.close()
  }

  @Test("A book is read when its title is, and is one object however it was found")
  func faults() throws {
    var stack = try ObjectGraphStack(folder: folder.url)
    Library(context: stack.context).fill()
    try stack.context.save()
    try stack.close()
    stack = try ObjectGraphStack(folder: folder.url)
    let request: NSFetchRequest<Review> = Review.fetchRequest()
    request.predicate = NSPredicate(format: "text == %@", "Read it aloud.")
    let review = try #require(try stack.context.fetch(request).first)
    let book = try #require(review.book)
    #expect(book.isFault)
    #expect(book.title == "A Wizard of Earthsea")
    #expect(!book.isFault)
    let author = try #require(book.author)
    #expect(author.hasFault(forRelationshipNamed: "books"))
    #expect((author.books as? Set<Book>)?.first { $0.title == book.title } === book)
    #expect(try stack.context.fetch(request).first === review)
    try stack.close()
  }

  @Test("A filled library has the rows that the book counts")
  func filled() throws {
    let stack = try ObjectGraphStack(folder: folder.url)
    Library(context: stack.context).fill()
    try stack.context.save()
    let file = try StoreFileReader(contentsOf: url)
    let counts = try ["ZAUTHOR", "ZBOOK", "ZTAG", "ZREVIEW", "ZREADINGLIST"].map(file.rowCount)
    #expect(counts == [5, 9, 5, 7, 2])
    try stack.close()
  }

  @Test(
    "Each run of the program ends well, also over the file of an earlier one",
    arguments: ["", "--one-way", "--rules", "--faults"])
  func runs(option: String) throws {
    for arguments in [["--fresh"], []] {
      let all = arguments + (option.isEmpty ? [] : [option])
      let outcome = try ProgramRunner.run("ObjectGraph", all, store: folder.url)
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
    }
  }

  @Test("The broken reference is repaired in the file, and the run ends with a sentence")
  func broken() throws {
    let outcome = try ProgramRunner.run("ObjectGraph", ["--fresh", "--break"], store: folder.url)
    #expect(outcome.exitCode == 1)
    #expect(outcome.output.contains("existingObject(with:) throws NSCocoaErrorDomain 133000"))
    #expect(outcome.errors.contains("\nError: The author of Frankenstein was deleted"))
    #expect(try rows("SELECT ZAUTHOR FROM ZBOOK WHERE ZTITLE = 'Frankenstein'") == [[.null]])
  }
}
