import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter

/// What is read when, and how many objects a row has.
extension ObjectGraphProgram {
  @MainActor func showFaults(in folder: URL) throws {
    try fill(folder)
    Output.heading("One review")
    let stack = try ObjectGraphStack(folder: folder)
    //> walk
    let request: NSFetchRequest<Review> = Review.fetchRequest()
    request.predicate = NSPredicate(format: "text == %@", "Read it aloud.")
    let found = try stack.context.fetch(request).first
    guard let review = found, let book = review.book else { return }
    Output.line("the review has \(review.stars) stars")
    Output.line("its book is a fault: \(book.isFault)")
    Output.line("the title: \(book.title ?? "none")")
    Output.line("its book is a fault: \(book.isFault)")
    Output.line("the year: \(book.year)")
    //< walk
    Output.heading("Further along")
    //> further
    guard let author = book.author else { return }
    Output.line("the author: \(author.name ?? "none")")
    Output.line("her books are read: \(!author.hasFault(forRelationshipNamed: "books"))")
    Output.line("her books: \(author.books?.count ?? 0)")
    Output.line("their titles: \(titles(author.books))")
    //< further
    Output.heading("One row, one object")
    //> same
    let first = try stack.context.fetch(request).first
    let second = try stack.context.fetch(request).first
    Output.line("two fetches, the same object: \(first === second)")
    Output.line("and the one from before: \(first === review)")
    let hers = (author.books as? Set<Book> ?? []).first { $0.title == book.title }
    Output.line("by way of the author, the same book: \(hers === book)")
    book.title = "The Wizard"
    Output.line("so she has it at once: \(titles(author.books))")
    //< same
    stack.context.rollback()

    Output.heading("One more book, and nothing is read")
    //> unread
    request.predicate = NSPredicate(format: "stars == %d", 4)
    request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: false)]
    guard let lem = try stack.context.fetch(request).first?.book?.author else { return }
    let fiasco = Library(context: stack.context).book("Fiasco", 1986, pages: 322, by: lem)
    Output.line("the author is a fault: \(lem.isFault)")
    Output.line("his books are read: \(!lem.hasFault(forRelationshipNamed: "books"))")
    Output.line("and he has the new one: \(lem.books?.contains(fiasco) ?? false)")
    //< unread
    try stack.close()
  }

  /// The whole library, in a store that is closed again: what follows knows nothing of it.
  @MainActor func fill(_ folder: URL) throws {
    try StoreOptions.removeStore(at: ObjectGraphFile(folder: folder).url)
    let stack = try ObjectGraphStack(folder: folder)
    Library(context: stack.context).fill()
    try stack.context.save()
    try stack.close()
  }
}
