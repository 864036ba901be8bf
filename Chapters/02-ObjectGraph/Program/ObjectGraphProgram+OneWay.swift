import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter

/// The same two entities, without the inverse.
extension ObjectGraphProgram {
  @MainActor func showOneWay(in folder: URL, _ file: ObjectGraphFile) throws {
    try StoreOptions.removeStore(at: file.url)
    //> no-inverse
    let stack = try ObjectGraphStack(folder: folder) { model in
      let (author, book) = (model.entitiesByName["Author"]!, model.entitiesByName["Book"]!)
      author.relationshipsByName["books"]!.inverseRelationship = nil
      book.relationshipsByName["author"]!.inverseRelationship = nil
    }
    //< no-inverse
    let library = Library(context: stack.context)
    Output.heading("Two relationships that know nothing of each other")
    //> two-truths
    let leGuin = library.author("Ursula K. Le Guin")
    let wizard = library.book("A Wizard of Earthsea", 1968, pages: 205, by: leGuin)
    try stack.context.save()
    Output.line("the book's author:  \(name(wizard.author))")
    Output.line("the author's books: \(titles(leGuin.books))")
    //< two-truths
    Output.heading("The author is deleted")
    //> delete-one-way
    stack.context.delete(leGuin)
    try stack.context.save()
    try file.show("ZAUTHOR", "Z_PK", "ZNAME")
    try file.show("ZBOOK", "Z_PK", "ZTITLE", "ZAUTHOR")
    //< delete-one-way
    try stack.close()
  }
}
