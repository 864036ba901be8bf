import CoreData
import TestFiles
import Testing

/// A stack for one test, over each of the stores.
enum Storage: CaseIterable, CustomTestStringConvertible {
  /// SQLite at `/dev/null`, a store of the type InMemory, SQLite in a file.
  case memory, inMemory, sqlite

  var testDescription: String {
    switch self {
    case .memory: "SQLite in memory"
    case .inMemory: "InMemory"
    case .sqlite: "SQLite"
    }
  }

  private func makeStack(in folder: TemporaryFolder) -> CoreDataStack {
    let stack = CoreDataStack(inMemory: self != .sqlite, storeURL: folder.file("journal.sqlite"))
    if self == .inMemory { stack.storeType = NSInMemoryStoreType }
    return stack
  }

  /// Runs a body on a stack of its own; its files go with it.
  func stack(_ body: (CoreDataStack) throws -> Void) throws {
    let folder = TemporaryFolder()
    let stack = makeStack(in: folder)
    try body(stack)
  }

  /// As ``stack(_:)``, for bodies that wait for other queues.
  func stack(_ body: (CoreDataStack) async throws -> Void) async throws {
    let folder = TemporaryFolder()
    let stack = makeStack(in: folder)
    try await body(stack)
  }
}
