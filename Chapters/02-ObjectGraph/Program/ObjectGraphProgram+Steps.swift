import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter
import StepRecorder

/// What the book's steppers show of this chapter.
extension ObjectGraphProgram {
  enum Recording: String, CaseIterable, ExpressibleByArgument {
    case inverse, fault
  }

  @MainActor func record(_ recording: Recording, in folder: URL) throws {
    switch recording {
    case .inverse: try recordInverse(in: folder)
    case .fault: try recordFault(in: folder)
    }
  }

  @MainActor private func recordInverse(in folder: URL) throws {
    let stack = try ObjectGraphStack(folder: folder)
    let library = Library(context: stack.context)
    let steps = try StepRecorder(
      "An inverse is kept", contexts: ["context": stack.context],
      objects: ["Author": "name, books", "Book": "title, author"],
      file: ObjectGraphFile(folder: folder).url,
      tables: ["ZAUTHOR": "Z_PK, ZNAME", "ZBOOK": "Z_PK, ZTITLE, ZAUTHOR"])
    let (leGuin, lem) = (library.author("Ursula K. Le Guin"), library.author("Stanisław Lem"))
    let solaris = library.book("Solaris", 1961, pages: 204)
    try steps.frame("You make two authors and a book.")
    solaris.author = leGuin
    try steps.frame("You set `solaris.author = leGuin`, by mistake.")
    solaris.author = lem
    try steps.frame("You set `solaris.author = lem`.")
    try stack.context.save()
    try steps.frame("You save.")
    withExtendedLifetime((leGuin, lem, solaris)) {}
    try stack.close()
  }

  @MainActor private func recordFault(in folder: URL) throws {
    let first = try ObjectGraphStack(folder: folder)
    let library = Library(context: first.context)
    let leGuin = library.author("Ursula K. Le Guin")
    library.review(library.book("A Wizard of Earthsea", 1968, pages: 205, by: leGuin), stars: 5, "Read it aloud.")
    library.book("The Dispossessed", 1974, pages: 341, by: leGuin)
    try first.context.save()
    try first.close()

    let stack = try ObjectGraphStack(folder: folder)
    let steps = try StepRecorder(
      "Faults fire", contexts: ["context": stack.context],
      objects: ["Review": "text, book", "Book": "title, year, author", "Author": "name, books"],
      file: ObjectGraphFile(folder: folder).url,
      tables: [
        "ZREVIEW": "Z_PK, ZTEXT, ZBOOK", "ZBOOK": "Z_PK, ZTITLE, ZYEAR, ZAUTHOR", "ZAUTHOR": "Z_PK, ZNAME",
      ])
    let request: NSFetchRequest<Review> = Review.fetchRequest()
    guard let review = try stack.context.fetch(request).first, let book = review.book else { return }
    try steps.frame("You fetch a review, and read `review.book`.")
    _ = book.title
    try steps.frame("You read `book.title`.")
    guard let author = book.author, author.name != nil else { return }
    try steps.frame("You read `book.author.name`.")
    let books = author.books as? Set<Book> ?? []
    _ = books.count
    try steps.frame("You count `author.books`.")
    _ = titles(author.books)
    try steps.frame("You read the title of each.")
    withExtendedLifetime((review, book, author, books)) {}
    try stack.close()
  }
}
