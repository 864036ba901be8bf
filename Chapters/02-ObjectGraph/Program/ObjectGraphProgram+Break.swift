import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter

/// A book whose author is gone.
extension ObjectGraphProgram {
  @MainActor func showDanglingReference(in folder: URL, _ file: ObjectGraphFile) throws {
    try deleteShelley(in: folder)
    try file.show("ZAUTHOR", "Z_PK", "ZNAME")
    Output.line("ZBOOK: Frankenstein, ZAUTHOR \(try authorKey(of: "Frankenstein", file))")

    let stack = try ObjectGraphStack(folder: folder)
    let request: NSFetchRequest<Book> = Book.fetchRequest()
    request.predicate = NSPredicate(format: "title == %@", "Frankenstein")
    guard let book = try stack.context.fetch(request).first, let author = book.author else { return }

    Output.heading("The next run asks first")
    //> ask-first
    Output.line("is there an author? \(book.author != nil)")
    do {
      _ = try stack.context.existingObject(with: author.objectID)
    } catch {
      let error = error as NSError
      Output.line("existingObject(with:) throws \(error.domain) \(error.code)")
    }
    //< ask-first

    Output.heading("Or just reads on")
    //> read-on
    Output.line("her name:           \(author.name ?? "none")")
    Output.line("is there an author? \(book.author != nil)")
    let deleted = stack.context.deletedObjects.count
    Output.line("in the context:     \(Output.count(deleted, "deleted object"))")
    //< read-on

    Output.heading("Repaired")
    //> repair
    book.author = nil
    try stack.context.save()
    Output.line("ZAUTHOR: \(try authorKey(of: "Frankenstein", file))")
    //< repair
    try stack.close()
    throw ChapterFailure("The author of Frankenstein was deleted, and the book was left to point at her row.")
  }

  private func authorKey(of title: String, _ file: ObjectGraphFile) throws -> String {
    "\(try file.reader().rows("SELECT ZAUTHOR FROM ZBOOK WHERE ZTITLE = '\(title)'")[0][0])"
  }

  @MainActor private func deleteShelley(in folder: URL) throws {
    Output.heading("Deleted under \"no action\"")
    try fill(folder)
    //> delete-shelley
    let stack = try ObjectGraphStack(folder: folder) { model in
      let books = model.entitiesByName["Author"]!.relationshipsByName["books"]!
      books.deleteRule = .noActionDeleteRule
    }
    let request: NSFetchRequest<Author> = Author.fetchRequest()
    request.predicate = NSPredicate(format: "name == %@", "Mary Shelley")
    if let shelley = try stack.context.fetch(request).first { stack.context.delete(shelley) }
    try stack.context.save()
    Output.line("save() succeeds")
    try stack.close()
    //< delete-shelley
  }
}
