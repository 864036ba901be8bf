import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter

/// Sets, many to many, order, and how many there may be.
extension ObjectGraphProgram {
  @MainActor func showSets(_ library: Library, _ leGuin: Author, _ wizard: Book, _ leftHand: Book) throws {
    Output.heading("A set of books")
    //> sets
    let dispossessed = library.book("The Dispossessed", 1974, pages: 341)
    leGuin.addToBooks(dispossessed)
    leGuin.removeFromBooks(wizard)
    Output.line("one in, one out:  \(titles(leGuin.books))")
    Output.line("the one out:      by \(name(wizard.author))")

    leGuin.books = NSSet(array: [wizard, leftHand, dispossessed])
    Output.line("a new set:        \(titles(leGuin.books))")

    let books = leGuin.mutableSetValue(forKey: "books")
    books.remove(wizard)
    Output.line("through the view: \(titles(leGuin.books))")
    books.add(wizard)
    Output.line("and back:         by \(name(wizard.author))")
    //< sets
  }

  @MainActor func showTags(
    _ library: Library, _ file: ObjectGraphFile, _ leGuin: Author, _ solaris: Book
  ) throws {
    Output.heading("Many to many")
    //> tags
    let fiction = library.tag("science fiction")
    let classic = library.tag("classic")
    for book in leGuin.books as? Set<Book> ?? [] where book.year > 1968 {
      fiction.addToBooks(book)
    }
    solaris.addToTags(fiction)
    solaris.addToTags(classic)
    Output.line("\(fiction.name!): \(titles(fiction.books))")
    Output.line("\(classic.name!): \(titles(classic.books))")
    //< tags
    try library.context.save()
    try file.show("ZTAG", "Z_PK", "ZNAME")
    try file.show("Z_2TAGS", "Z_2BOOKS1", "Z_5TAGS")
  }

  @MainActor func showOrder(
    _ library: Library, _ file: ObjectGraphFile, _ wizard: Book, _ leftHand: Book, _ solaris: Book
  ) throws {
    Output.heading("An order")
    //> order
    let summer = library.list("Summer", [solaris, wizard])
    summer.insertIntoBooks(leftHand, at: 1)
    Output.line("to read:    \(inOrder(summer))")
    try library.context.save()
    try file.show("Z_2LISTS", "Z_FOK_2BOOKS", "Z_2BOOKS", "Z_3LISTS")

    summer.mutableOrderedSetValue(forKey: "books").moveObjects(at: [2], to: 0)
    Output.line("rearranged: \(inOrder(summer))")
    try library.context.save()
    try file.show("Z_2LISTS", "Z_FOK_2BOOKS", "Z_2BOOKS", "Z_3LISTS")
    //< order
  }

  private func inOrder(_ list: ReadingList) -> String {
    (list.books?.array as? [Book] ?? []).compactMap(\.title).joined(separator: ", ")
  }

  @MainActor func showCounts(_ library: Library) throws {
    let context = library.context
    Output.heading("How many")
    //> counts
    let review = Review(context: context)
    review.stars = 5
    refuse(context, "a review of no book")

    library.list("Winter", [])
    refuse(context, "a list without books")

    let book = library.book("The Cyberiad", 1965, pages: 295)
    for name in ["robots", "satire", "short stories", "poems"] { library.tag(name, on: [book]) }
    refuse(context, "a book with four tags")
    //< counts
  }

  /// Prints what keeps the context from saving, and takes the changes back.
  private func refuse(_ context: NSManagedObjectContext, _ what: String) {
    do {
      try context.save()
    } catch {
      let error = error as NSError
      Output.line("\(what): \(error.code), \(error.userInfo[NSValidationKeyErrorKey] ?? "no key")")
    }
    context.rollback()
  }
}
