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
    case tally, database, trips, outage
  }

  @Option(help: "Run one part only.")
  var only: Part?

  @Flag(name: .customLong("break"), help: "Open four stores that can't be opened, and read the errors.")
  var breaksOpening = false

  @Option(help: .hidden)
  var writer: String?

  @Option(help: .hidden)
  var policy = "error"

  @Option(
    name: .customLong("com.apple.CoreData.SQLDebug", withSingleDash: true),
    help: ArgumentHelp("Print the SQL that runs, on standard error.", valueName: "level"))
  var sqlDebugLevel: Int?

  static func main() { ChapterProgram.run(Self.self) }

  func validate() throws { try refuseTogether(["--only": only != nil, "--break": breaksOpening]) }

  @MainActor func perform() async throws {
    if let writer, let url = URL(string: writer) {
      let policy = policy == "error" ? NSMergePolicy.error : .mergeByPropertyObjectTrump
      return try WriterProcess.serve(TallyWriter(ServerLibrary(at: url), policy: policy))
    }
    let server = try Self.server()
    defer { server.stop() }
    if breaksOpening { return try showRefusals(server) }
    let url = server.url(schema: "library")
    for part in only.map({ [$0] }) ?? Part.allCases {
      switch part {
      case .tally: try showTally(server, url)
      case .database: try showDatabase(server, url)
      case .trips: try showTrips(server)
      case .outage: try showOutage(server)
      }
    }
  }

  /// Without PostgreSQL the program says what to install, and leaves with the code for a service that is not there.
  private static func server() throws -> PrivateServer {
    do { return try PrivateServer() } catch let error as PrivateServer.NoServer {
      print("Skipped: no PostgreSQL server could be started: \(error)")
      throw ExitCode(EX_UNAVAILABLE)
    }
  }
}
