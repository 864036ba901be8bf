import Foundation
import SwiftData
import TestFiles
import Testing

/// Why some tests do not run when no row is shared and every save leaves faults.
let keepsRows = ConditionTrait.enabled(
  if: ProcessInfo.processInfo.environment["COREDATA_STRESS"] == nil,
  "It is about rows that are kept, which COREDATA_STRESS forbids.")

extension TemporaryFolder {
  /// A store's file, for tests with one.
  func file() -> URL { file("Test.store") }
}

func memory(_ types: any PersistentModel.Type...) throws -> ModelContext {
  ModelContext(
    try ModelContainer(for: Schema(types), configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
}

func library(_ url: URL) throws -> ModelContext {
  ModelContext(try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url)))
}
