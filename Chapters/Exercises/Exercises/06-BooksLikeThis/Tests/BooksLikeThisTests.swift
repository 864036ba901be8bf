import CoreData
import ExerciseSupport
import Testing

@testable import Exercises

@Suite("06 Books like this one", .serialized)
@MainActor struct BooksLikeThisTests {
  let bench: Bench
  let context: NSManagedObjectContext
  let emma: Book

  /// Four books and three genres; "Dracula" and "Jane Eyre" have two genres in common.
  init() throws {
    bench = try Bench()
    context = bench.makeContext(try bench.makeCoordinator())
    let shelf = [
      ("Emma", ["romance"]), ("Jane Eyre", ["gothic", "romance", "classic"]), ("Dracula", ["gothic", "classic"]),
      ("Middlemarch", []),
    ]
    var genres: [String: Genre] = [:]
    var books: [Book] = []
    for (title, names) in shelf {
      let book = Book(context: context)
      book.title = title
      books.append(book)
      for name in names {
        let genre = genres[name] ?? Genre(context: context)
        genre.name = name
        genres[name] = genre
        book.addToGenres(genre)
      }
    }
    emma = books[0]
    try context.save()
  }

  private func titles(like title: String) throws -> [String] {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == %@", title)
    let book = try #require(try context.fetch(request).first)
    return try booksLike(book).compactMap(\.title)
  }

  @Test("A book that shares one genre is found")
  func one() throws {
    let titles = try titles(like: "Emma")
    #expect(titles == ["Jane Eyre"], "found for Emma, which is a romance")
  }

  @Test("A book that shares two genres is found once, and the books come by title")
  func two() throws {
    let titles = try titles(like: "Jane Eyre")
    #expect(titles == ["Dracula", "Emma"], "found for Jane Eyre, which is gothic, romance and classic")
  }

  @Test("A book without genres is like no other, not even like itself")
  func none() throws {
    let titles = try titles(like: "Middlemarch")
    #expect(titles == [])
  }

  @Test("A genre that is taken off leads nowhere, before any save")
  func takenOff() throws {
    emma.genres = nil
    let titles = try titles(like: "Emma")
    #expect(titles == [])
  }
}
