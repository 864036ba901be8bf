import CoreData
import Foundation
import OneServerChapter
import PostgreSQLTestServer
import TestFiles
import Testing

/// Without PostgreSQL the suites that need a server are skipped, and the run says so once.
private let hasServer: ConditionTrait = .enabled(
  if: PrivateServer.shared != nil, "No PostgreSQL server can be started here: install the package postgresql.")

@Suite("Chapter 15: outgrowing one machine", hasServer, .serialized)
@MainActor
struct OneServerTests {
  let server = PrivateServer.required
  let url: URL

  init() { url = server.newStoreURL() }

  /// A library with a tally, and the number of its row on the server.
  private func library(_ total: Int64, options: [String: NSObject] = [:]) throws -> ServerLibrary {
    let library = try ServerLibrary(at: url, options: options)
    let tally = Tally(context: library.container.viewContext)
    (tally.name, tally.total) = ("visits", total)
    try library.container.viewContext.save()
    return library
  }

  private func stored() throws -> Int64 {
    let context = try ServerLibrary(at: url, options: [NSReadOnlyPersistentStoreOption: true as NSNumber])
      .container.newBackgroundContext()
    return try context.performAndWait { try Tally.named("visits", in: context).total }
  }

  @Test("Of two writers that have read the same row one is refused, and succeeds when it has read again")
  func refused() throws {
    let writers = try [library(5), ServerLibrary(at: url)].map { TallyWriter($0) }
    for writer in writers { try writer.read("visits") }
    let outcomes = try writers.map { try $0.save() }
    #expect(outcomes == [true, false])
    let refusals = try writers[1].add("visits")
    #expect(refusals == 0)
    let total = try stored()
    #expect(total == 7)
  }

  @Test("With a merge policy no save is refused, and an addition is lost")
  func settled() throws {
    let writers = try [library(5), ServerLibrary(at: url)].map { TallyWriter($0, policy: .mergeByPropertyObjectTrump) }
    for writer in writers { try writer.read("visits") }
    let outcomes = try writers.map { try $0.save() }
    #expect(outcomes == [true, true])
    let total = try stored()
    #expect(total == 6)
  }

  @Test("What the server adds counts though it was read long ago, and a context that has read it says the old value")
  func inPlace() throws {
    let library = try library(5)
    let tally = try Tally.named("visits", in: library.container.viewContext)
    let writer = try TallyWriter(ServerLibrary(at: url))
    for _ in 0..<3 { try writer.addInPlace("visits") }
    #expect(tally.total == 5)
    let total = try stored()
    #expect(total == 8)
  }

  @Test("A follower merges what another stack has saved, with its author")
  func followed() async throws {
    let library = try library(5, options: ServerLibrary.telling)
    let context = library.container.viewContext
    let tally = try Tally.named("visits", in: context)
    let follower = RemoteFollower(context)
    _ = try TallyWriter(ServerLibrary(at: url, options: ServerLibrary.telling)).add("visits")
    let deadline = Date(timeIntervalSinceNow: 60)
    while tally.total == 5, Date() < deadline { try await Task.sleep(nanoseconds: 10_000_000) }
    #expect(tally.total == 6)
    #expect(follower.authors == ["a writer"])
    #expect(follower.failure == nil)
  }

  @Test("The program counts a visit on a server of the reader's, and goes on from there")
  func visits() throws {
    for count in 1...2 {
      let outcome = try ProgramRunner.run("OneServer", ["--visit", url.absoluteString])
      #expect(outcome.exitCode == 0, "\(outcome.errors)")
      #expect(outcome.output.contains("visits: \(count)"))
    }
  }

  @Test("The log of SQL shows no values, at any level")
  func log() throws {
    let arguments = ["--visit", url.absoluteString, "-com.apple.CoreData.SQLDebug", "3"]
    let outcome = try ProgramRunner.run("OneServer", arguments)
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
    #expect(outcome.errors.contains("UPDATE ZTALLY"))
    // The tally's name is the value of a parameter.
    #expect(!outcome.errors.contains("visits"), "\(outcome.errors)")
  }

  @Test("A server that does not answer is named")
  func noServer() throws {
    let outcome = try ProgramRunner.run("OneServer", ["--visit", "postgresql://strata@127.0.0.1:1/library"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains("127.0.0.1"), "\(outcome.errors)")
  }

  @Test("A password that is refused is told in the server's words, and not shown")
  func password() throws {
    let refused = server.url(schema: "library", user: "visitor", more: "&password=tops3cret")
    let outcome = try ProgramRunner.run("OneServer", ["--visit", refused.absoluteString])
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("password authentication failed"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("tops3cret") && !outcome.output.contains("tops3cret"))
  }
}

@Suite("Chapter 15 without a server")
struct OneServerErrorTests {
  @Test("A URL of another kind of server ends the program with a sentence that says which kind it takes")
  func otherServer() throws {
    let outcome = try ProgramRunner.run("OneServer", ["--visit", "mysql://localhost/library"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains("postgresql://"), "\(outcome.errors)")
  }

  @Test("Where PostgreSQL is not installed the program says what to install, and leaves with its own code")
  func missing() throws {
    // No server's programs are in an empty folder.
    let folder = TemporaryFolder()
    let outcome = try ProgramRunner.run(
      "OneServer", [], environment: ["STRATA_POSTGRESQL": folder.url.path])
    #expect(outcome.exitCode == EX_UNAVAILABLE)
    #expect(outcome.output.contains("install the package postgresql"), "\(outcome.output)")
  }
}
