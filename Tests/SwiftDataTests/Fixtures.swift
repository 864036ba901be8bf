import Foundation
import SwiftData

/// A folder that goes with the test.
final class TemporaryFolder {
  let url: URL
  init() {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("SwiftDataTests-\(UUID().uuidString)")
    try! FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }
  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String = "Test.store") -> URL { url.appendingPathComponent(name) }
}

func memory(_ types: any PersistentModel.Type...) throws -> ModelContext {
  ModelContext(
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
}

func library(_ url: URL) throws -> ModelContext {
  ModelContext(try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url)))
}
