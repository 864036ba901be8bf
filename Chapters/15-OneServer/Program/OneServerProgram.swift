import ArgumentParser
import ChapterSupport
import CoreData
import Foundation
import OneServerChapter
import PrivateServer

@main
struct OneServerProgram: ChapterCommand {
  static let configuration = CommandConfiguration(
    commandName: "OneServer",
    abstract: "The same stack over a PostgreSQL server of the program's own, with eight processes that write.")

  enum Part: String, CaseIterable, ExpressibleByArgument {
    case tally, conflict, news, trips, outage, database
  }

  @Option(help: "Run one part only.")
  var only: Part?

  @Flag(name: .customLong("break"), help: "Open four stores that can't be opened, and read the errors.")
  var breaksOpening = false

  @Option(help: ArgumentHelp("Count a visit in a store on a server of yours.", valueName: "url"))
  var visit: String?

  @Option(help: .hidden)
  var writer: String?

  @Option(help: .hidden)
  var policy = "error"

  @Flag(name: .customLong("history"), help: .hidden)
  var keepsHistory = false

  @Option(
    name: .customLong("com.apple.CoreData.SQLDebug", withSingleDash: true),
    help: ArgumentHelp("Print the SQL that runs, on standard error.", valueName: "level"))
  var sqlDebugLevel: Int?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws {
    try refuseTogether(["--only": only != nil, "--break": breaksOpening, "--visit": visit != nil])
  }

  @MainActor func perform() async throws {
    if let writer { return try serve(writer) }
    if let visit { return try countVisit(try address(visit)) }
    let server = try Self.server()
    defer { server.stop() }
    if breaksOpening { return try showRefusals(server) }
    let url = server.url(schema: "library")
    for part in only.map({ [$0] }) ?? Part.allCases {
      switch part {
      case .tally: try showTally(server, url)
      case .conflict: try showConflict(server)
      case .news: try await showNews(server)
      case .database: try showDatabase(server, url)
      case .trips: try showTrips(server)
      case .outage: try showOutage(server)
      }
    }
  }

  /// One of the eight.
  private func serve(_ url: String) throws {
    let library = try ServerLibrary(at: try address(url), options: keepsHistory ? ServerLibrary.telling : [:])
    let policy = policy == "error" ? NSMergePolicy.error : .mergeByPropertyObjectTrump
    try WriterProcess.serve(TallyWriter(library, policy: policy))
  }

  /// On a server that others may use meanwhile.
  @MainActor private func countVisit(_ url: URL) throws {
    let library = try ServerLibrary(at: url)
    let context = library.container.viewContext
    if try context.count(for: NSFetchRequest<Tally>(entityName: "Tally")) == 0 {
      // Another one may make it in the same moment: then that one counts.
      context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
      Tally(context: context).name = "visits"
      try context.save()
    }
    _ = try TallyWriter(library).add("visits")
    context.reset()
    Output.line("visits: \(try Tally.named("visits", in: context).total)")
  }

  private func address(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw ChapterFailure("\"\(text)\" is not a URL.") }
    return url
  }

  /// Without PostgreSQL the program says what to install, and ends with the exit code for a missing service.
  private static func server() throws -> PrivateServer {
    do { return try PrivateServer() } catch let error as PrivateServer.NoServer {
      print("Skipped: no PostgreSQL server could be started: \(error)")
      throw ExitCode(EX_UNAVAILABLE)
    }
  }
}
