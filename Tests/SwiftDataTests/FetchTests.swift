import Foundation
import SwiftData
import TestFiles
import Testing

/// What generic code asks of models.
protocol Thick {
  var title: String { get }
  var pages: Int { get set }
}

extension Book: Thick {}

extension Genre {
  fileprivate var words: Int { 1 }
}

extension Thick where Self: PersistentModel {
  static func thick(from pages: Int, not title: String) -> FetchDescriptor<Self> {
    FetchDescriptor(
      predicate: #Predicate { $0.pages >= pages && $0.title != title },
      sortBy: [SortDescriptor(\.pages, order: .reverse), SortDescriptor(\.title)])
  }
}

/// What a program asks for.
private struct Wish: Codable {
  var pages = 200
  var shelves: [String: Int] = ["low": 150]
  var length = 100...280
  var limit: Range<Int>? = 100..<280
}

/// A model that remembers others by their identities.
@Model private final class Bookmark {
  var book: PersistentIdentifier?
  var shelf: PersistentIdentifier
  var page = 0
  @Transient var last: PersistentIdentifier?
  var place: PersistentIdentifier { shelf }
  init(shelf: PersistentIdentifier) { self.shelf = shelf }
}

extension PersistentModel {
  fileprivate static func only(_ id: PersistentIdentifier) -> FetchDescriptor<Self> {
    FetchDescriptor(predicate: #Predicate { $0.persistentModelID == id })
  }
}

@Model private final class Chapter {
  var number: Int
  var book: Book
  init(number: Int, book: Book) {
    self.number = number
    self.book = book
  }
}

@Suite("Fetches of models")
struct FetchTests {
  @Test("A fetch brings models that the context has up to date, but for what was changed there")
  func refetching() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    let (here, there) = (ModelContext(container), ModelContext(container))
    let author = Author(name: "Ann")
    let books = ["a", "b"].map { Book(isbn: $0, title: $0) }
    for book in books {
      here.insert(book)
      book.author = author
    }
    try here.save()
    #expect(author.books.count == 2)
    books[1].title = "mine"
    for book in try there.fetch(FetchDescriptor<Book>()) { book.title += "!" }
    let added = Book(isbn: "c", title: "c")
    there.insert(added)
    added.author = try #require(try there.fetch(FetchDescriptor<Author>()).first)
    try there.save()
    #expect(books[0].title == "a")
    let byTitle = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)])
    #expect(try here.fetch(byTitle).map(\.title) == ["a!", "c", "mine"])
    #expect(books.map(\.title) == ["a!", "mine"])
    _ = try here.fetch(FetchDescriptor<Author>())
    #expect(author.books.count == 3)
  }

  /// Two authors with three books, in a file.
  private func filled(_ folder: TemporaryFolder) throws -> ModelContext {
    let context = try library(folder.file())
    let (jane, mary) = (Author(name: "Jane"), Author(name: "Mary"))
    let emma = Book(isbn: "1", title: "Emma", pages: 474, author: jane)
    emma.genre = .essay
    emma.size = Size(width: 1, height: 2, unit: Size.Unit(name: "cm"))
    let frankenstein = Book(isbn: "2", title: "Frankenstein", pages: 280, author: mary)
    let anonymous = Book(isbn: "3", title: "Édda", pages: 100)
    for book in [emma, frankenstein, anonymous] { context.insert(book) }
    try context.save()
    return context
  }

  /// The same in memory.
  private func filledMemory() throws -> ModelContext {
    let folder = TemporaryFolder()
    let (source, context) = (try filled(folder), try memory(Book.self))
    for book in try source.fetch(FetchDescriptor<Book>()) {
      let copy = Book(
        isbn: book.isbn, title: book.title, pages: book.pages, author: book.author.map { Author(name: $0.name) })
      copy.size = book.size
      copy.genre = book.genre
      context.insert(copy)
    }
    // Models do not keep their context.
    withExtendedLifetime(source) {}
    try context.save()
    return context
  }

  private func titles(_ context: ModelContext, _ predicate: Predicate<Book>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.isbn)])).map(\.title)
  }

  @Test("Predicates compare, join, and follow relationships")
  func predicates() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let limit = 200
    #expect(try titles(context, #Predicate { $0.pages > limit && $0.pages < 400 }) == ["Frankenstein"])
    #expect(try titles(context, #Predicate { $0.title == "Emma" || $0.pages == 100 }) == ["Emma", "Édda"])
    #expect(try titles(context, #Predicate { !$0.isRead && $0.title.contains("ank") }) == ["Frankenstein"])
    #expect(try titles(context, #Predicate { $0.title.starts(with: "Em") }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.title.localizedStandardContains("EDDA") }) == ["Édda"])
    #expect(try titles(context, #Predicate { $0.author == nil }) == ["Édda"])
    #expect(try titles(context, #Predicate { $0.author?.name == "Jane" }) == ["Emma"])
    let wanted = ["1", "3"]
    #expect(try titles(context, #Predicate { wanted.contains($0.isbn) }) == ["Emma", "Édda"])
    let authors = try context.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.books.contains { $0.pages > 300 } }))
    #expect(authors.map(\.name) == ["Jane"])
  }

  @Test("Generic code may name what a protocol requires: it stands for the model's property of that name")
  func requirements() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    #expect(try context.fetch(Book.thick(from: 100, not: "Emma")).map(\.title) == ["Frankenstein", "Édda"])
  }

  @Test("Predicates of optional values, ranges, counts and conditions are asked in the store")
  func shapes() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let (range, half, zero) = (100...280, 100..<280, 0)
    #expect(try titles(context, #Predicate { range.contains($0.pages) }) == ["Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { half.contains($0.pages) }) == ["Édda"])
    #expect(try titles(context, #Predicate { (100...280).contains($0.pages) }) == ["Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { ($0.secondGenre == nil ? $0.pages : 0) > 300 }) == ["Emma"])
    #expect(try titles(context, #Predicate { ($0.author?.name ?? "Nobody") == "Nobody" }) == ["Édda"])
    #expect(try titles(context, #Predicate { $0.author.flatMap { $0.name == "Mary" } == true }) == ["Frankenstein"])
    #expect(
      try titles(
        context,
        #Predicate { book in
          if let size = book.size { return size.height == 2 } else { return false }
        }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.title.isEmpty || $0.title.count == 4 }) == ["Emma", "Édda"])
    #expect(try titles(context, #Predicate { $0.pages + 20 == 300 && $0.pages % 2 == zero }) == ["Frankenstein"])
    let busy = try context.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { $0.books.filter { $0.pages > 300 }.count == 1 }))
    #expect(busy.map(\.name) == ["Jane"])
    #expect(try context.fetchCount(FetchDescriptor<Author>(predicate: #Predicate { $0.books.isEmpty })) == 0)
  }

  @Test("What a predicate says of the program's own values alone is found out before the store is asked")
  func captured() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let (wanted, nothing, wish) = (["1", "3"], [String](), Wish())
    let (unset, only) = (nil as [String]?, ["2"] as [String]?)
    #expect(try titles(context, #Predicate { wanted.isEmpty || wanted.contains($0.isbn) }) == ["Emma", "Édda"])
    #expect(try titles(context, #Predicate { nothing.isEmpty && $0.pages > wish.pages }) == ["Emma", "Frankenstein"])
    #expect(try titles(context, #Predicate { unset == nil || unset!.contains($0.isbn) }).count == 3)
    #expect(try titles(context, #Predicate { only == nil || only!.contains($0.isbn) }) == ["Frankenstein"])
    #expect(try titles(context, #Predicate { $0.isbn == wanted[1] && wanted.count == 2 }) == ["Édda"])
    #expect(try titles(context, #Predicate { $0.pages < wish.shelves["low"]! }) == ["Édda"])
    let (counts, parts) = ([100, 280], 0)
    #expect(try titles(context, #Predicate { $0.pages >= counts.max()! }) == ["Emma", "Frankenstein"])
    #expect(try titles(context, #Predicate { parts > 0 && $0.pages > 300 / parts }).isEmpty)
  }

  @Test("What is bound to a value that a program may have is asked of that value", arguments: [true, false])
  func capturedOptionals(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = inFile ? try filled(folder) : try filledMemory()
    let (allowed, none, missing) = (["1"] as [String]?, [String](), nil as [String]?)
    for (list, found) in [(allowed, ["Emma"]), (missing, ["Emma", "Frankenstein", "Édda"])] {
      #expect(
        try titles(context, #Predicate { book in if let list { list.contains(book.isbn) } else { true } }) == found)
    }
    #expect(try titles(context, #Predicate { (allowed ?? none).contains($0.isbn) }) == ["Emma"])
    #expect(try titles(context, #Predicate { (missing ?? none).contains($0.isbn) }).isEmpty)
    let (wish, noWish) = (Wish() as Wish?, nil as Wish?)
    for (wish, found) in [(wish, ["Emma", "Frankenstein"]), (noWish, ["Emma", "Frankenstein", "Édda"])] {
      #expect(
        try titles(context, #Predicate { book in if let wish { book.pages > wish.pages } else { true } }) == found)
      #expect(try titles(context, #Predicate { $0.pages > (wish?.pages ?? 0) }) == found)
    }
    #expect(try titles(context, #Predicate { $0.title == ($0.author?.name ?? $0.title) }) == ["Édda"])
    // What the program alone decides.
    let (isbns, wanted) = (["1", "2"], "2")
    #expect(try titles(context, #Predicate { isbns.contains(wanted) && $0.isbn == wanted }) == ["Frankenstein"])
    #expect(try titles(context, #Predicate { !isbns.contains(wanted) || $0.isbn == "3" }) == ["Édda"])
    #expect(try titles(context, #Predicate { wanted.isEmpty || wanted.contains("3") || $0.isbn == "1" }) == ["Emma"])
    #expect(try titles(context, #Predicate { wanted.starts(with: "2") && $0.pages < 300 }).count == 2)
  }

  @Test("Each member of a captured collection is asked for, in the store", arguments: [true, false])
  func capturedMembers(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = inFile ? try filled(folder) : try filledMemory()
    let (letters, none, wishes) = (["m", "a"], [String](), [Wish(), Wish(pages: 400)])
    #expect(try titles(context, #Predicate { book in letters.allSatisfy { book.title.contains($0) } }) == ["Emma"])
    #expect(try titles(context, #Predicate { book in letters.contains { book.title.contains($0) } }).count == 3)
    #expect(try titles(context, #Predicate { book in !letters.contains { book.title.contains($0) } }).isEmpty)
    #expect(try titles(context, #Predicate { book in none.allSatisfy { book.title.contains($0) } }).count == 3)
    #expect(try titles(context, #Predicate { book in none.contains { book.title.contains($0) } }).isEmpty)
    #expect(try titles(context, #Predicate { book in wishes.allSatisfy { book.pages > $0.pages } }) == ["Emma"])
    #expect(
      try titles(context, #Predicate { book in wishes.contains { $0.length.contains(book.pages) } })
        == ["Frankenstein", "Édda"])
    let janes = try context.fetch(FetchDescriptor<Author>()).filter { $0.name == "Jane" }
    let ids = janes.map { $0.persistentModelID as PersistentIdentifier? }
    #expect(
      try titles(context, #Predicate { book in ids.contains { $0 == book.author?.persistentModelID } }) == ["Emma"])
    let many = (0..<2_000).map { "\($0)" }
    #expect(try titles(context, #Predicate { book in many.contains { $0 == book.isbn } }).count == 3)
  }

  @Test("A range may be in a struct, optional, or without an end", arguments: [true, false])
  func ranges(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = inFile ? try filled(folder) : try filledMemory()
    let (wish, maybe, all) = (Wish(), 0...Int.max as ClosedRange<Int>?, Int.min...Int.max as ClosedRange<Int>?)
    #expect(try titles(context, #Predicate { wish.length.contains($0.pages) }) == ["Frankenstein", "Édda"])
    #expect(
      try titles(context, #Predicate { book in if let limit = wish.limit { limit.contains(book.pages) } else { true } })
        == ["Édda"])
    #expect(
      try titles(context, #Predicate { book in if let maybe { maybe.contains(book.pages) } else { false } }).count == 3)
    #expect(
      try titles(context, #Predicate { book in if let all { all.contains(book.pages) } else { false } }).count == 3)
    let (from, below, through) = (280..., ..<280, ...280)
    #expect(try titles(context, #Predicate { from.contains($0.pages) }) == ["Emma", "Frankenstein"])
    #expect(try titles(context, #Predicate { below.contains($0.pages) }) == ["Édda"])
    #expect(try titles(context, #Predicate { through.contains($0.pages) }) == ["Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { !from.contains($0.pages) }) == ["Édda"])
  }

  @Test("Texts are compared without their case, and as the person's language does", arguments: [true, false])
  func textOrders(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = inFile ? try filled(folder) : try filledMemory()
    let (same, before) = (ComparisonResult.orderedSame, ComparisonResult.orderedAscending)
    let name = "EMMA"
    #expect(try titles(context, #Predicate { $0.title.caseInsensitiveCompare(name) == same }) == ["Emma"])
    #expect(try titles(context, #Predicate { same == $0.title.caseInsensitiveCompare("éDDA") }) == ["Édda"])
    #expect(
      try titles(context, #Predicate { $0.title.caseInsensitiveCompare(name) != same }) == ["Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { $0.title.caseInsensitiveCompare("FA") == before }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.title.localizedCompare("Emma") == same }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.title.localizedCompare(name) == same }).isEmpty)
    let predicate = #Predicate<Book> { $0.title.caseInsensitiveCompare(name) == same }
    #expect(try predicate.evaluate(Book(isbn: "1", title: "emma")))
    #expect(try !predicate.evaluate(Book(isbn: "1", title: "emmo")))
  }

  @Test("A whole struct, a case without raw value or a list is compared in no store", arguments: [true, false])
  func wholeValues(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = inFile ? try filled(folder) : try filledMemory()
    let (size, location, tags) = (Size(width: 1, height: 2, unit: Size.Unit(name: "cm")), Location.lost, ["old"])
    let (numbers, remark, locations) = ([1] as [Int]?, Remark(), [Location.lost])
    let unsupported: [Predicate<Book>] = [
      #Predicate { $0.size == size }, #Predicate { $0.location == location }, #Predicate { $0.location != location },
      #Predicate { $0.tags == tags }, #Predicate { tags != $0.tags }, #Predicate { $0.numbers == numbers },
      #Predicate { $0.remark == remark }, #Predicate { $0.location.flatMap { locations.contains($0) } == true },
    ]
    for predicate in unsupported {
      #expect(throws: SwiftDataError.unsupportedPredicate) { try titles(context, predicate) }
    }
    #expect(try titles(context, #Predicate { $0.size != nil && $0.numbers == nil && $0.location == nil }) == ["Emma"])
    let cover = Data("cover".utf8)
    try #require(try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)])).first).cover = cover
    try context.save()
    #expect(try titles(context, #Predicate { $0.cover == cover }) == ["Emma"])
    #expect(try titles(context, #Predicate { size == size && $0.isbn == "1" }) == ["Emma"])
  }

  @Test("Only a model's own identity stands for the model, not another one that it has", arguments: [true, false])
  func otherIdentities(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let schema = Schema([Bookmark.self, Chapter.self])
    let configuration =
      inFile ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: schema, configurations: configuration))
    let books = ["1", "2"].map { Book(isbn: $0, title: "T") }
    books.forEach(context.insert)
    try context.save()
    let mark = Bookmark(shelf: books[0].persistentModelID)
    context.insert(mark)
    // The later book has the first chapter.
    for (number, book) in zip(1..., books.reversed()) { context.insert(Chapter(number: number, book: book)) }
    try context.save()
    let (id, first) = (mark.persistentModelID, books[0].persistentModelID)
    for own in [#Predicate<Bookmark> { $0.persistentModelID == id }, #Predicate { $0.id == id }] {
      #expect(try context.fetchCount(FetchDescriptor(predicate: own)) == 1)
    }
    #expect(try context.fetchCount(Bookmark.only(id)) == 1)
    let unsupported: [Predicate<Bookmark>] = [
      #Predicate { $0.place == id }, #Predicate { $0.last == id }, #Predicate { $0.shelf == first },
      #Predicate { $0.book == id },
    ]
    for predicate in unsupported {
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try context.fetchCount(FetchDescriptor(predicate: predicate))
      }
    }
    #expect(try context.fetchCount(FetchDescriptor<Bookmark>(predicate: #Predicate { $0.book == nil })) == 1)
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Bookmark>(sortBy: [SortDescriptor(\.place)]))
    }
    let chapters = FetchDescriptor<Chapter>(
      predicate: #Predicate { $0.book.persistentModelID == first }, sortBy: [SortDescriptor(\.book.persistentModelID)])
    #expect(try context.fetch(chapters).map(\.number) == [2])
    let sorted = FetchDescriptor<Chapter>(sortBy: [SortDescriptor(\.book.persistentModelID)])
    #expect(try context.fetch(sorted).map(\.number) == [2, 1])
  }

  @Test("Optional chains are followed to their end", arguments: [true, false])
  func chains(saved: Bool) throws {
    let folder = TemporaryFolder()
    let context = ModelContext(
      try ModelContainer(for: Shelf.self, configurations: ModelConfiguration(url: folder.file())))
    let shelves = ["a", "b", "c", "d"].map(Shelf.init)
    for (shelf, next) in zip(shelves, shelves.dropFirst()) { shelf.next = next }
    context.insert(shelves[0])
    if saved { try context.save() }
    func names(_ predicate: Predicate<Shelf>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])).map(\.name)
    }
    #expect(try names(#Predicate { $0.next?.next?.name == "c" }) == ["a"])
    #expect(try names(#Predicate { $0.next?.next?.next?.name == "d" }) == ["a"])
    #expect(try names(#Predicate { $0.next?.next?.next == nil }) == ["b", "c", "d"])
    #expect(try names(#Predicate { ($0.next?.next?.name ?? "z") > "c" }) == ["b", "c", "d"])
    #expect(try names(#Predicate { $0.next.flatMap { $0.next.flatMap { $0.name < "d" } } == true }) == ["a"])
  }

  @Test("An optional array of models is asked for what is in it, and is never nil", arguments: [true, false])
  func optionalArrays(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let configuration =
      inFile ? ModelConfiguration(url: folder.file()) : ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Recipe.self, configurations: configuration))
    let (soup, water) = (Recipe(title: "Soup"), Recipe(title: "Water"))
    context.insert(soup)
    context.insert(water)
    soup.ingredients = [Ingredient(name: "Salt", position: 1)]
    context.insert(Ingredient(name: "Sand", position: 2))
    try context.save()
    func titles(_ predicate: Predicate<Recipe>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)])).map(\.title)
    }
    #expect(try titles(#Predicate { $0.ingredients?.isEmpty == true }) == ["Water"])
    #expect(try titles(#Predicate { $0.ingredients?.isEmpty != true }) == ["Soup"])
    #expect(try titles(#Predicate { $0.ingredients?.count == 0 }) == ["Water"])
    #expect(try titles(#Predicate { !($0.ingredients?.isEmpty ?? false) }) == ["Soup"])
    #expect(try titles(#Predicate { $0.ingredients?.allSatisfy { $0.position > 1 } == true }) == ["Water"])
    #expect(try titles(#Predicate { $0.ingredients?.contains { $0.name == "Salt" } == false }) == ["Water"])
    // What leads to the array may be nil.
    func names(_ predicate: Predicate<Ingredient>) throws -> [String] {
      try context.fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }
    #expect(try names(#Predicate { $0.recipe?.ingredients?.isEmpty == true }).isEmpty)
    #expect(try names(#Predicate { $0.recipe?.ingredients?.isEmpty == nil }) == ["Sand"])
    #expect(try names(#Predicate { $0.recipe?.ingredients?.count == 1 }) == ["Salt"])
  }

  @Test("A closed range between two properties of a model is asked in the store", arguments: [true, false])
  func rangesOfProperties(inFile: Bool) throws {
    let folder = TemporaryFolder()
    let context = inFile ? try filled(folder) : try filledMemory()
    let pages = 280
    #expect(try titles(context, #Predicate { ($0.pages...$0.pages).contains(pages) }) == ["Frankenstein"])
    #expect(try titles(context, #Predicate { (pages...$0.pages).contains(300) }) == ["Emma"])
  }

  @Test("Models and identities are compared")
  func identities() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let jane = try #require(try context.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])).first)
    let (id, ids) = (jane.persistentModelID, [jane.persistentModelID])
    #expect(try titles(context, #Predicate { $0.author?.persistentModelID == id }) == ["Emma"])
    let found = try context.fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.persistentModelID == id }))
    #expect(found == [jane])
    let listed = try context.fetch(
      FetchDescriptor<Author>(predicate: #Predicate { ids.contains($0.persistentModelID) }))
    #expect(listed == [jane])
  }

  @Test("Parts of structs and cases with raw values are compared")
  func parts() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let genre = Genre.essay
    #expect(try titles(context, #Predicate { $0.genre == genre }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.genre != genre }) == ["Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { $0.secondGenre == nil }) == ["Emma", "Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { $0.size?.width == 1 }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.size?.unit.name == "cm" }) == ["Emma"])
    let raw = "essay"
    #expect(try titles(context, #Predicate { $0.genre.rawValue == raw }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.genre.rawValue > raw }) == ["Frankenstein", "Édda"])
    #expect(try titles(context, #Predicate { $0.secondGenre?.rawValue == raw }).isEmpty)
    let emma = try #require(try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isbn == "1" })).first)
    emma.size?.genre = .essay
    try context.save()
    #expect(try titles(context, #Predicate { $0.size?.genre == genre }) == ["Emma"])
    #expect(try titles(context, #Predicate { $0.size?.genre?.rawValue == raw }) == ["Emma"])
  }

  @Test("Sorting follows relationships; limit and offset count")
  func sorting() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.name, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.title) == ["Frankenstein", "Emma", "Édda"])
    descriptor.sortBy = [SortDescriptor(\.pages)]
    descriptor.fetchLimit = 1
    descriptor.fetchOffset = 1
    descriptor.propertiesToFetch = [\.title]
    descriptor.relationshipKeyPathsForPrefetching = [\.author]
    #expect(try context.fetch(descriptor).map(\.title) == ["Frankenstein"])
    let sorts: [[SortDescriptor<Book>]] = [
      [SortDescriptor(\.size?.width, order: .reverse)], [SortDescriptor(\.size?.unit.name, order: .reverse)],
      [SortDescriptor(\.genre.rawValue)],
    ]
    for sort in sorts { #expect(try context.fetch(FetchDescriptor<Book>(sortBy: sort)).first?.title == "Emma") }
  }

  @Test("A fetch may name the identity among its properties, and not among its relationships")
  func identityToFetch() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    let id: KeyPath<Book, PersistentIdentifier> = \.id
    let wishes: [[PartialKeyPath<Book>]] = [[\.persistentModelID], [id], [\.title, \.persistentModelID]]
    for wish in wishes {
      var descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.isbn)])
      descriptor.propertiesToFetch = wish
      let (count, identifiers) = (try context.fetchCount(descriptor), try context.fetchIdentifiers(descriptor))
      let books = try context.fetch(descriptor)
      #expect(count == 3 && books.map(\.title) == ["Emma", "Frankenstein", "Édda"])
      #expect(identifiers == books.map(\.persistentModelID))
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      var descriptor = FetchDescriptor<Book>()
      descriptor.relationshipKeyPathsForPrefetching = [\.persistentModelID]
      return try context.fetch(descriptor)
    }
  }

  @Test("Texts are sorted as file managers do, unless bytes are asked for", arguments: [true, false])
  func standardOrder(saved: Bool) throws {
    let folder = TemporaryFolder()
    let context = try library(folder.file())
    for name in ["Zola", "Item 10", "apple", "item 2"] {
      context.insert(Author(name: name))
      context.insert(Book(isbn: name, title: "x", author: nil))
    }
    if saved { try context.save() }
    func names(_ sort: SortDescriptor<Author>) throws -> [String] {
      try context.fetch(FetchDescriptor(sortBy: [sort])).map(\.name)
    }
    #expect(try names(SortDescriptor(\.name)) == ["apple", "item 2", "Item 10", "Zola"])
    #expect(try names(SortDescriptor(\.name, order: .reverse)) == ["Zola", "Item 10", "item 2", "apple"])
    #expect(try names(SortDescriptor(\.name, comparator: .localizedStandard)).first == "apple")
    let localized = try names(SortDescriptor(\.name, comparator: .localized))
    #expect(localized == localized.sorted { $0.localizedCompare($1) == .orderedAscending })
    #expect(localized == ["apple", "Item 10", "item 2", "Zola"])
    #expect(try names(SortDescriptor(\.name, comparator: .lexical)) == ["Item 10", "Zola", "apple", "item 2"])
    let authors = try context.fetch(FetchDescriptor<Author>())
    #expect(authors.sorted(using: SortDescriptor(\.name)).map(\.name) == ["apple", "item 2", "Item 10", "Zola"])
    for book in try context.fetch(FetchDescriptor<Book>()) where book.isbn != "apple" {
      book.author = authors.first { $0.name == book.isbn }
    }
    if saved { try context.save() }
    let books = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.author?.name)])
    let found = try context.fetch(books)
    #expect(found.map(\.isbn) == ["apple", "item 2", "Item 10", "Zola"])
    let other = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\Book.author?.name, comparator: .localized)]))
    #expect(other.map(\.isbn) == ["apple", "Item 10", "item 2", "Zola"])
    #expect(found.reversed().sorted(using: SortDescriptor(\.author?.name)).map(\.isbn) == found.map(\.isbn))
  }

  @Test("Pending changes count, unless they are not wanted")
  func pending() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    context.insert(Book(isbn: "4", title: "Sanditon"))
    var descriptor = FetchDescriptor<Book>()
    #expect(try context.fetchCount(descriptor) == 4)
    descriptor.includePendingChanges = false
    #expect(try context.fetchCount(descriptor) == 3)
  }

  @Test("What no store can be asked is refused")
  func refused() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.summary == "x" }))
    }
    // No column has what a computed property of a value, a @Transient one or a computed one of the model says.
    let unsupported: [Predicate<Book>] = [
      #Predicate { $0.genre.words == 1 }, #Predicate { $0.changes == 0 },
      #Predicate { $0.pages > 1 && $0.summary.count > 1 },
      // A store does not look into what is kept as bytes.
      #Predicate { $0.tags.contains("old") }, #Predicate { $0.tags.isEmpty }, #Predicate { $0.sizes.count > 1 },
      #Predicate { $0.numbers?.contains(3) == true }, #Predicate { $0.cover?.isEmpty == true },
      #Predicate { $0.tags.contains { $0 == "old" } }, #Predicate { $0.size?.marks.contains("a") == true },
    ]
    for predicate in unsupported {
      #expect(throws: SwiftDataError.unsupportedPredicate) {
        try context.fetchCount(FetchDescriptor(predicate: predicate))
      }
      #expect(throws: SwiftDataError.unsupportedPredicate) { try context.delete(model: Book.self, where: predicate) }
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) {
      var descriptor = FetchDescriptor<Book>()
      descriptor.propertiesToFetch = [\.summary]
      return try context.fetch(descriptor)
    }
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.summary)]))
    }
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Shelf>()) }
  }

  @Test("Models are sorted by their identity, the unsaved ones too", arguments: [SortOrder.forward, .reverse])
  func sortedByIdentity(order: SortOrder) throws {
    let folder = TemporaryFolder()
    for context in [try library(folder.file()), try memory(Book.self)] {
      for number in 0..<12 {
        context.insert(Book(isbn: "\(number)", title: "T\(number % 2)"))
        if number < 11 { try context.save() }
      }
      let descriptor = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.persistentModelID, order: order)])
      let found = try context.fetch(descriptor).map { Int($0.isbn) ?? -1 }
      #expect(found.filter { $0 < 11 } == (order == .forward ? Array(0..<11) : Array(0..<11).reversed()))
      #expect(found.contains(11))
      let second = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title), SortDescriptor(\.id, order: order)])
      try context.save()
      #expect(try context.fetch(second).first?.isbn == (order == .forward ? "0" : "10"))
    }
  }

  @Test("After all data was deleted a new container finds nothing in the file")
  func deleteAllData() throws {
    let folder = TemporaryFolder()
    let context = try filled(folder)
    context.container.deleteAllData()
    #expect(try library(folder.file()).fetchCount(FetchDescriptor<Book>()) == 0)
  }

  @Test("A captured set of enumerations, of identities or of models selects as an array of them does")
  func sets() throws {
    let container = try ModelContainer(
      for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let books = ["1", "2", "3"].map { Book(isbn: $0, title: "T\($0)") }
    books.forEach(context.insert)
    books[1].genre = .essay
    try context.save()
    let genres: Set<Genre> = [.essay]
    let found = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { genres.contains($0.genre) }))
    #expect(found.map(\.isbn) == ["2"])
    let ids = Set(books.prefix(2).map(\.persistentModelID))
    let known = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { ids.contains($0.persistentModelID) }))
    #expect(Set(known.map(\.isbn)) == ["1", "2"])
  }

  @Test("A model that is in no store equals none, and is not nil")
  func noModel() throws {
    let context = ModelContext(
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Book(isbn: "1", title: "Orphan"))
    try context.save()
    let author = Author(name: "Nobody")
    let id = author.persistentModelID
    #expect(
      try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.author?.persistentModelID == id })) == 0)
    #expect(
      try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.author?.persistentModelID != id })) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.persistentModelID == id })) == 0)
  }

  @Test("Models that are saved while they are enumerated are enumerated all")
  func enumeratingNew() throws {
    let folder = TemporaryFolder()
    let container = try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: folder.file()))
    let context = ModelContext(container)
    for number in 0..<10 { context.insert(Book(isbn: "\(number)", title: "T")) }
    var seen: Set<String> = []
    try context.enumerate(FetchDescriptor<Book>(), batchSize: 3, allowEscapingMutations: true) { book in
      seen.insert(book.isbn)
      book.pages += 1
      try context.save()
    }
    #expect(seen.count == 10)
  }
}
