import Foundation
import SwiftData
import Testing

/// Why some tests do not run when no row is shared and every save leaves faults.
let keepsRows = ConditionTrait.enabled(
  if: ProcessInfo.processInfo.environment["COREDATA_STRESS"] == nil,
  "It is about rows that are kept, which COREDATA_STRESS forbids.")

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
