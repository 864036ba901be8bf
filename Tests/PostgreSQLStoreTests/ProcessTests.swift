import BuiltPrograms
import CoreData
import Foundation
import PostgreSQLStore
import PostgreSQLTestServer
import Testing

@Suite("Processes that write one PostgreSQL store", hasServer, .serialized)
struct ProcessTests {
  /// `Scripts/postgresql-rounds` asks for more.
  private static func number(_ name: String, _ ordinary: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? ordinary
  }

  private func model() -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    let counter = NSEntityDescription()
    counter.name = "Counter"
    counter.properties = [attribute("count", .integer64AttributeType, optional: false)]
    let mark = NSEntityDescription()
    mark.name = "Mark"
    mark.properties = [
      attribute("writer", .stringAttributeType, optional: false),
      attribute("number", .integer64AttributeType, optional: false),
    ]
    model.entities = [counter, mark]
    return model
  }

  @Test("Eight processes that count one counter lose nothing and do nothing twice, also where the server is killed")
  func counting() throws {
    let additions = ProcessTests.number("STRATA_ADDITIONS", 100)
    let kills = ProcessTests.number("STRATA_KILLS", 2)
    let program = try #require(BuiltProgram.url("PostgreSQLWriter"))
    // Commits wait for the disk, since the server is killed.
    let server = try TestServer(isDurable: true)
    defer { server.stop() }
    let shelf = try Shelf(model(), at: server.newStoreURL())
    try shelf.context.performAndWait {
      shelf.context.new("Counter", ["count": 0])
      try shelf.context.save()
    }
    let start = Date()
    let writers = try (0..<8).map { number in
      let process = Process()
      process.executableURL = program
      process.arguments = [shelf.url.absoluteString, "\(additions)", "writer\(number)"]
      process.standardOutput = FileHandle.standardError
      try process.run()
      return process
    }
    // After an error in this process, they would try for minutes.
    defer { for writer in writers where writer.isRunning { kill(writer.processIdentifier, SIGKILL) } }
    var done = 0
    for number in 0..<kills where writers.contains(where: \.isRunning) {
      // At even parts of the work, whatever the machine's speed.
      let due = 8 * additions * (number + 1) / (kills + 1)
      while writers.contains(where: \.isRunning), try count(shelf, "Mark") < due { Thread.sleep(forTimeInterval: 0.05) }
      guard writers.contains(where: \.isRunning) else { break }
      try server.killAndStart()
      done += 1
    }
    writers.forEach { $0.waitUntilExit() }
    #expect(writers.map(\.terminationStatus) == Array(repeating: 0, count: 8))
    #expect(done == kills)
    try shelf.context.performAndWait {
      shelf.context.reset()
      let found = try shelf.context.all("Counter").map { $0.value(forKey: "count") as? Int }
      #expect(found == [8 * additions])
      let marks = try shelf.context.all("Mark").map {
        "\($0.value(forKey: "writer") ?? "") \($0.value(forKey: "number") ?? "")"
      }
      #expect(marks.count == 8 * additions)
      #expect(Set(marks).count == 8 * additions)
    }
    if additions > 100 {
      let seconds = Int(Date().timeIntervalSince(start))
      FileHandle.standardError.write(
        Data("\(8 * additions) additions of 8 processes, \(done) kills, \(seconds) s\n".utf8))
    }
  }

  private func count(_ shelf: Shelf, _ entity: String) throws -> Int {
    try shelf.context.performAndWait {
      try shelf.context.count(for: NSFetchRequest<NSManagedObject>(entityName: entity))
    }
  }
}
