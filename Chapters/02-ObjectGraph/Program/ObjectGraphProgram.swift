import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import ObjectGraphChapter

@main
struct ObjectGraphProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "ObjectGraph",
    abstract: "Objects that know each other: relationships, delete rules, faults, and the rows they become.")

  @OptionGroup var store: StoreOptions

  @Flag(name: .customLong("one-way"), help: "Take the inverse away, and see what goes wrong.")
  var goesOneWay = false

  @Flag(name: .customLong("rules"), help: "Delete an author four times, each time under another delete rule.")
  var showsRules = false

  @Flag(name: .customLong("faults"), help: "Walk from object to object, and see what is read when.")
  var showsFaults = false

  @Flag(name: .customLong("break"), help: "Leave a book with an author that is gone, and see what comes of it.")
  var breaksReference = false

  @Option(name: .customLong("steps"), help: "Print the frames of one of the book's steppers: inverse or fault.")
  var recording: Recording?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether([
      "--one-way": goesOneWay, "--rules": showsRules, "--faults": showsFaults, "--break": breaksReference,
      "--steps": recording != nil,
    ])
  }

  @MainActor func perform() async throws {
    let folder = try store.openFolder(for: "ObjectGraph", stores: [ObjectGraphStack.storeName])
    let file = ObjectGraphFile(folder: folder)
    if let recording { return try record(recording, in: folder) }
    if goesOneWay { return try showOneWay(in: folder, file) }
    if showsRules { return try showDeleteRules(in: folder, file) }
    if showsFaults { return try showFaults(in: folder) }
    if breaksReference { return try showDanglingReference(in: folder, file) }
    try showRelationships(in: folder, file)
  }

  @MainActor private func showRelationships(in folder: URL, _ file: ObjectGraphFile) throws {
    let stack = try ObjectGraphStack(folder: folder)
    let context = stack.context

    Output.heading("Set one end")
    //> one-end
    let leGuin = Author(context: context)
    leGuin.name = "Ursula K. Le Guin"
    let wizard = Book(context: context)
    wizard.title = "A Wizard of Earthsea"
    wizard.author = leGuin
    Output.line("her books:         \(titles(leGuin.books))")
    Output.line("books in the file: \(try file.rows("ZBOOK"))")
    //< one-end

    let library = Library(context: context)
    Output.heading("Set the other end")
    //> other-end
    let leftHand = library.book("The Left Hand of Darkness", 1969, pages: 286)
    leGuin.addToBooks(leftHand)
    Output.line("its author: \(name(leftHand.author))")
    Output.line("her books:  \(titles(leGuin.books))")
    //< other-end

    Output.heading("Move a book")
    //> move
    let lem = library.author("Stanisław Lem")
    let solaris = library.book("Solaris", 1961, pages: 204, by: leGuin)
    Output.line("by mistake: \(titles(leGuin.books))")
    solaris.author = lem
    Output.line("Le Guin:    \(titles(leGuin.books))")
    Output.line("Lem:        \(titles(lem.books))")
    //< move

    Output.heading("The rows")
    try context.save()
    try file.show("ZAUTHOR", "Z_PK", "ZNAME")
    try file.show("ZBOOK", "Z_PK", "ZTITLE", "ZAUTHOR")

    try showSets(library, leGuin, wizard, leftHand)
    try showTags(library, file, leGuin, solaris)
    try showOrder(library, file, wizard, leftHand, solaris)
    try showCounts(library)
    try stack.close()
  }

  //> titles
  /// The titles of a set of books. A set has no order, so they are sorted.
  func titles(_ books: NSSet?) -> String {
    let books = books as? Set<Book> ?? []
    return books.isEmpty ? "none" : books.compactMap(\.title).sorted().joined(separator: ", ")
  }
  //< titles

  func name(_ author: Author?) -> String {
    guard let author else { return "no one" }
    return author.name ?? "an author without a name"
  }
}
