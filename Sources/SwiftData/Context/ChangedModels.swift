import Foundation

/// The models of a context with unsaved changes, in the order of their first ones.
struct ChangedModels {
  private var storages: [ModelStorage] = []
  /// The first of them by what they are known by before their first save: as many as there were when a program last
  /// asked for such a model. Inserting is frequent, asking is not.
  private var byIdentifier: [UUID: ModelStorage] = [:]
  private var indexedCount = 0

  mutating func append(_ storage: ModelStorage) { storages.append(storage) }

  /// The one that is known by an identifier until its first save.
  mutating func storage(_ identifier: UUID) -> ModelStorage? {
    for storage in storages[indexedCount...] { byIdentifier[storage.temporaryIdentifier] = storage }
    indexedCount = storages.count
    return byIdentifier[identifier]
  }

  /// Returns all of them, and has none any more.
  mutating func takeAll() -> [ModelStorage] {
    defer { self = ChangedModels() }
    return storages
  }
}
