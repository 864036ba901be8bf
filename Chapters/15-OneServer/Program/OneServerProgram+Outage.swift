import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PrivateServer

extension OneServerProgram {
  @MainActor func showOutage(_ server: PrivateServer) throws {
    let library = try ServerLibrary(
      at: server.url(schema: "outage"), options: [NSPersistentStoreTimeoutOption: 2 as NSNumber])
    let context = library.container.viewContext
    Book(context: context).title = "Solaris"
    try context.save()
    context.reset()
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.includesPropertyValues = false
    let book = try library.container.viewContext.fetch(request)[0]

    //> handler
    context.unreadableFaultHandler = { _, _ in .keepFault }
    //< handler

    Output.heading("The server is stopped")
    server.halt("fast")
    //> away
    attempt("fetch") { _ = try context.fetch(NSFetchRequest<Book>(entityName: "Book")) }
    attempt("fulfil") { try context.fulfil([book]) }
    Output.line("the title reads as \(book.title ?? "nil")")
    Output.line("a fault: \(book.isFault), deleted: \(book.isDeleted)")
    let second = Book(context: context)
    second.title = "Fiasco"
    attempt("save") { try context.save() }
    Output.line("still to be saved: \(context.hasChanges)")
    //< away

    Output.heading("The server is started again")
    try server.start()
    //> back
    attempt("fulfil") { try context.fulfil([book]) }
    Output.line("the title reads as \(book.title ?? "nil")")
    attempt("save") { try context.save() }
    //< back
    Output.line("on the server: \(try server.rows("SELECT count(*) FROM outage.zbook")[0][0]) books")
  }

  private func attempt(_ what: String, _ body: () throws -> Void) {
    do {
      try body()
      Output.line("\(what): done")
    } catch {
      let error = error as NSError
      Output.line("\(what): error \(error.code), SQLSTATE \(error.userInfo["SQLSTATE"] ?? "none")")
    }
  }

  @MainActor func showRefusals(_ server: PrivateServer) throws {
    Output.heading("Four that can't be opened")
    //> refusals
    let urls = [
      ("no server", URL(string: "postgresql://strata@127.0.0.1:1/postgres")!),
      ("a wrong password", server.url(schema: "library", user: "visitor", more: "&password=guess")),
      ("no such database", server.url(schema: "library", database: "atlantis")),
      ("no such address", URL(string: "mysql://localhost/library")!),
    ]
    for (what, url) in urls {
      do { _ = try ServerLibrary(at: url) } catch { show(what, error as NSError, server) }
    }
    //< refusals
    throw ChapterFailure("None of the four could be opened; each error says why.")
  }

  private func show(_ what: String, _ error: NSError, _ server: PrivateServer) {
    Output.line("\(what): \(error.domain) \(error.code), SQLSTATE \(error.userInfo["SQLSTATE"] ?? "none")")
    let words = error.localizedDescription.replacingOccurrences(of: server.folder, with: "FOLDER")
    var line = ""
    for word in words.split(whereSeparator: \.isWhitespace) {
      if line.count + word.count > 80 {
        Output.line("  " + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    Output.line("  " + line)
  }
}
