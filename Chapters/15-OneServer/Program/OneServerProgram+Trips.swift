import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PrivateServer

extension OneServerProgram {
  @MainActor func showTrips(_ server: PrivateServer) throws {
    let url = server.url(schema: "trips")
    Output.heading("Round trips")
    try count("save 20 authors with 3 books each", url) { context in
      for number in 1...20 {
        let author = Author(context: context)
        author.name = "Author \(number)"
        for volume in 1...3 {
          let book = Book(context: context)
          (book.title, book.author) = ("Book \(number).\(volume)", author)
        }
      }
      try context.save()
    }
    //> questions hidden
    try count("20 authors, and the titles of each", url) { context in
      let authors = try context.fetch(NSFetchRequest<Author>(entityName: "Author"))
      for author in authors { _ = author.books.map(\.title) }
    }
    try count("the same, prefetched", url) { context in
      let request = NSFetchRequest<Author>(entityName: "Author")
      request.relationshipKeyPathsForPrefetching = ["books"]
      let authors = try context.fetch(request)
      for author in authors { _ = author.books.map(\.title) }
    }
    try count("60 books as faults, one by one", url) { context in
      for book in try faults(context) { _ = book.title }
    }
    try count("the same, fulfilled first", url) { context in
      let books = try faults(context)
      try context.fulfil(books, relationshipKeyPaths: ["author"])
      for book in books { _ = (book.title, book.author?.name) }
    }
    //< questions
    try count("change one book and save", url) { context in
      let request = NSFetchRequest<Book>(entityName: "Book")
      request.fetchLimit = 1
      try context.fetch(request)[0].pages = 100
      try context.save()
    }
    try count("insert one book and save", url) { context in
      Book(context: context).title = "One"
      try context.save()
    }
    try count("insert a thousand and save", url) { context in
      for number in 1...1_000 { Book(context: context).title = "Book \(number)" }
      try context.save()
    }
  }

  /// A stack of its own for each question, so that no row is known already.
  private func count(_ what: String, _ url: URL, _ body: (NSManagedObjectContext) throws -> Void) throws {
    let library = try ServerLibrary(at: url, keepingStatements: false)
    let before = library.trips
    try body(library.container.viewContext)
    Output.line(what.padding(toLength: 38, withPad: " ", startingAt: 0) + "\(library.trips - before)")
  }

  private func faults(_ context: NSManagedObjectContext) throws -> [Book] {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.includesPropertyValues = false
    return try context.fetch(request)
  }
}
