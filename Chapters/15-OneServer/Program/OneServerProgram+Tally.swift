import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PrivateServer

extension OneServerProgram {
  private static let writerCount = 8

  @MainActor func showTally(_ server: PrivateServer, _ url: URL) throws {
    let library = try ServerLibrary(at: url)
    let tally = Tally(context: library.container.viewContext)
    tally.name = "visits"
    try library.container.viewContext.save()

    Output.heading("Many processes, one row")
    Output.line("a conflict is an error:")
    try inStep(server, url, policy: "error")
    Output.line("a merge policy settles it:")
    try inStep(server, url, policy: "trump")

    Output.heading("The same, until it is done")
    for command in ["add", "in place"] {
      let before = try total(server)
      let writers = try (0..<Self.writerCount).map { _ in try WriterProcess(url) }
      for writer in writers { try writer.tell(command) }
      let refused = try writers.reduce(0) { $0 + (Int(try $1.answer()) ?? 0) }
      for writer in writers { try writer.end() }
      Output.line(command == "add" ? "read, add, save, and again if refused:" : "the server adds:")
      Output.line(
        "  \(Self.writerCount) processes, 100 times each; \(refused == 0 ? "none" : "some") were refused on the way")
      Output.line("  on the server: the tally is \(try total(server) - before) higher")
    }
  }

  /// Ten rounds: all read, then all save.
  private func inStep(_ server: PrivateServer, _ url: URL, policy: String) throws {
    let before = try total(server)
    let writers = try (0..<Self.writerCount).map { _ in try WriterProcess(url, "--policy", policy) }
    var outcomes: [String] = []
    //> rounds
    for _ in 0..<10 {
      for writer in writers { try writer.tell("read") }
      for writer in writers { _ = try writer.answer() }
      for writer in writers { try writer.tell("save") }
      for writer in writers { outcomes.append(try writer.answer()) }
    }
    //< rounds
    for writer in writers { try writer.end() }
    let saved = outcomes.count { $0 == "saved" }
    let refused = outcomes.count { $0 == "refused" }
    Output.line("  \(Self.writerCount) processes, 10 rounds: \(saved) saved, \(refused) refused")
    Output.line("  on the server: the tally is \(try total(server) - before) higher, not \(10 * Self.writerCount)")
  }

  private func total(_ server: PrivateServer) throws -> Int {
    Int(try server.rows("SELECT ztotal FROM library.ztally")[0][0]) ?? -1
  }
}
