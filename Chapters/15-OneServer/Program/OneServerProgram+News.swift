import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PrivateServer

extension OneServerProgram {
  @MainActor func showNews(_ server: PrivateServer) async throws {
    let url = server.url(schema: "news")
    let library = try ServerLibrary(at: url, options: ServerLibrary.telling)
    let context = library.container.viewContext
    context.transactionAuthor = "the screen"
    let tally = Tally(context: context)
    (tally.name, tally.total) = ("visits", 5)
    try context.save()
    let follower = RemoteFollower(context)

    Output.heading("What a context hears of another process")
    let writer = try WriterProcess(url, "--history")
    try writer.tell("add")
    _ = try writer.answer()
    try writer.end()
    let onServer = try server.rows("SELECT ztotal FROM news.ztally")[0][0]
    Output.line("another process adds 100: on the server \(onServer), on the screen \(tally.total)")
    //> stale
    let request = NSFetchRequest<Tally>(entityName: "Tally")
    request.predicate = NSPredicate(format: "total == 105")
    let found = try context.fetch(request)
    Output.line("a fetch of total == 105 finds \(found.count), whose total is \(found[0].total)")
    //< stale
    try await wait("the news of another process") { tally.total == 105 }
    Output.line("the news has come: on the screen \(tally.total)")
    let own = follower.authors.count { $0 == "the screen" }
    Output.line("merged: \(follower.authors.count - own) transactions by a writer, \(own) of its own")
  }

  /// Lets the main queue work until it is so.
  @MainActor private func wait(_ what: String, _ condition: () -> Bool) async throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    while !condition() {
      guard Date() < deadline else { throw ChapterFailure("After a minute there is still no sign of \(what).") }
      try await Task.sleep(nanoseconds: 10_000_000)
    }
  }
}
