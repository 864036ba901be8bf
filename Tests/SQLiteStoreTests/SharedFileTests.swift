import Foundation
import TestFiles
import Testing

@testable import CoreData

@Suite("A file that several connections and processes have open")
struct SharedFileTests {
  private func shelves() -> NSManagedObjectModel {
    let builder = ModelBuilder()
    builder.entity("Shelf", [attribute("title", .stringAttributeType)])
    return builder.make()
  }

  @Test("Looking at a file from elsewhere in the process does not give up the locks of an open store")
  func looking() async throws {
    let folder = TemporaryFolder()
    let url = folder.file("Shared.sqlite")
    let store = try openStore(shelves(), at: url)
    try store.insert("Shelf", [["title": .string("A")]])
    #expect(await Self.asked(url.path) == 7, "an open store")

    let second = try openStore(shelves(), at: url)
    second.willRemove(from: nil)
    _ = try SQLiteStore.metadataForPersistentStore(with: url)
    _ = try NSManagedObjectModel(storedIn: url)
    let reader = try openStore(shelves(), at: url, options: [NSReadOnlyPersistentStoreOption: true])
    reader.willRemove(from: nil)
    #expect(await Self.asked(url.path) == 7, "the first store is still open")
    try store.insert("Shelf", [["title": .string("B")]])
    #expect(try store.all("Shelf").count == 2)
    store.willRemove(from: nil)
  }

  /// What a process of its own ends with: 7 where it finds the file in use, 0 where it has it alone.
  private static func asked(_ path: String) async -> Int32? {
    let result = await #expect(processExitsWith: .exitCode(7), observing: [\.exitStatus]) { [path = path as String] in
      var options = Connection.Options()
      options.busyTimeout = 0
      let connection = try Connection(path: path, options: options)
      let mode = (try? connection.rows("PRAGMA journal_mode = DELETE"))?.first?[0]
      exit(mode == "delete" ? 0 : 7)
    }
    if case .exitCode(let code)? = result?.exitStatus { return code }
    return nil
  }
}
