import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PostgreSQLStore
import PrivateServer

extension OneServerProgram {
  @MainActor func showTrips(_ server: PrivateServer) throws {
    let url = server.url(schema: "trips")
    try fill(url)
    Output.heading("Round trips")
    try count("20 authors, and the titles of each", url) { library in
      let context = library.container.viewContext
      //> one-by-one
      let authors = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
      for author in authors { _ = author.books.map(\.title) }
      //< one-by-one
    }
    try count("the same, prefetched", url) { library in
      let context = library.container.viewContext
      //> prefetched
      let request = NSFetchRequest<Author>(entityName: "Author")
      request.relationshipKeyPathsForPrefetching = ["books"]
      let authors = try context.fetch(request)
      for author in authors { _ = author.books.map(\.title) }
      //< prefetched
    }
    try count("60 books as faults, one by one", url) { library in
      let context = library.container.viewContext
      for book in try faults(context) { _ = book.title }
    }
    try count("the same, fulfilled first, with authors", url) { library in
      let context = library.container.viewContext
      //> fulfilled
      let books = try faults(context)
      try context.fulfil(books, relationshipKeyPaths: ["author"])
      for book in books { _ = (book.title, book.author?.name) }
      //< fulfilled
    }
    try count("insert one book and save", url) { library in
      let context = library.container.viewContext
      Book(context: context).title = "One"
      try context.save()
    }
    try count("insert a thousand and save", url) { library in
      let context = library.container.viewContext
      for number in 1...1_000 { Book(context: context).title = "Book \(number)" }
      try context.save()
    }
    try count("change sixty, and save after each", url) { library in
      let context = library.container.viewContext
      for book in try sixty(context) {
        book.pages += 1
        try context.save()
      }
    }
    try count("change sixty and save once", url) { library in
      let context = library.container.viewContext
      for book in try sixty(context) { book.pages += 1 }
      try context.save()
    }
    try count("one more: read, add, save", url) { _ = try TallyWriter($0).add("visits") }
    try count("one more, by the server", url) { try TallyWriter($0).addInPlace("visits") }
  }

  /// Twenty authors with three books each, and a tally.
  private func fill(_ url: URL) throws {
    let context = try ServerLibrary(at: url, options: Self.options).container.viewContext
    for number in 1...20 {
      let author = Author(context: context)
      author.name = "Author \(number)"
      for volume in 1...3 {
        let book = Book(context: context)
        (book.title, book.author) = ("Book \(number).\(volume)", author)
      }
    }
    Tally(context: context).name = "visits"
    try context.save()
  }

  /// Statements are sent as they are, so that each is one trip. Kept prepared, each costs one more the first time.
  private static let options: [String: NSObject] = [
    PostgreSQLPreparedStatementsOption: false as NSNumber, PostgreSQLNotificationsOption: false as NSNumber,
  ]

  /// Each question has a stack of its own, so that no row is known already. It has saved something before: a
  /// connection's first save makes itself known to the server.
  private func count(_ what: String, _ url: URL, _ body: (ServerLibrary) throws -> Void) throws {
    let library = try ServerLibrary(at: url, options: Self.options)
    let first = library.container.newBackgroundContext()
    try first.performAndWait {
      Book(context: first).title = "The first"
      try first.save()
    }
    let before = library.trips
    try body(library)
    Output.line(what.padding(toLength: 42, withPad: " ", startingAt: 0) + "\(library.trips - before)")
  }

  private func faults(_ context: NSManagedObjectContext) throws -> [Book] {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "author != nil")
    request.includesPropertyValues = false
    return try context.fetch(request)
  }

  private func sixty(_ context: NSManagedObjectContext) throws -> [Book] {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "author != nil")
    return try context.fetch(request)
  }
}
