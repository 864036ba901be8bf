import CoreData
import Synchronization

/// The stores that a container has opened by itself, with what it opened them with. Containers of the same stores have
/// one of these together.
final class OwnStores: @unchecked Sendable {
  // `@unchecked Sendable`: `list` is used under `lock` only.

  private struct Opened {
    var store: NSPersistentStore
    let configuration: ModelConfiguration
    /// What the configuration is called in the managed object model; nil for the only store.
    let name: String?
  }

  /// Held while the stores are erased.
  private let lock = NSRecursiveLock()
  private var list: [Opened] = []
  /// How often the stores were erased. A context compares it with what it saw last.
  let erasureCount = Atomic(0)

  var isEmpty: Bool { lock.withLock { list.isEmpty } }

  func append(_ store: NSPersistentStore, _ configuration: ModelConfiguration, _ name: String?) {
    lock.withLock { list.append(Opened(store: store, configuration: configuration, name: name)) }
  }

  /// Puts another store in place of each.
  func replaceEach(
    by other: (NSPersistentStore, ModelConfiguration, _ name: String?) throws -> NSPersistentStore
  ) throws {
    try lock.withLock {
      for index in list.indices {
        let opened = list[index]
        list[index].store = try other(opened.store, opened.configuration, opened.name)
      }
    }
  }
}

extension ModelContainer {
  /// Like ``erase()``, but writes an error to standard error instead of throwing it.
  public func deleteAllData() {
    do { try erase() } catch {
      warn(
        MisuseReport(
          "A container's data could not be deleted.", facts: [("Error", error.localizedDescription)],
          how: "deleteAllData() cannot throw.", remedy: "Call erase(), which throws the error."))
    }
  }

  /// Deletes the data of all stores. The container and its contexts go on with empty stores, which have other
  /// identifiers. No other thread may use them meanwhile.
  ///
  /// Each context lets go of its models: the main context at once, or soon if you call this elsewhere than on the main
  /// queue, any other when you use it next. Unsaved changes are dropped. Models that you still have keep their
  /// attributes' values as after a deletion that was saved, except those that lie in files of their own and those that
  /// were never read.
  ///
  /// Throws a `CocoaError` if a store may not be saved to, or can't be written.
  public func erase() throws {
    if let fixed = configurations.first(where: { !$0.allowsSave && !$0.isStoredInMemoryOnly }) {
      throw StoreFailure.readOnly(fixed.url).publicError
    }
    if ownStores.isEmpty, dataStores.isEmpty {
      throw StoreFailure.unsupported("Erasing the container of a migration stage").publicError
    }
    defer { noteErasure() }
    for store in dataStores { try store.erase() }
    try ownStores.replaceEach(by: emptied)
  }

  /// Closes a store, deletes its data, and opens it again.
  private func emptied(
    _ store: NSPersistentStore, _ configuration: ModelConfiguration, _ name: String?
  ) throws -> NSPersistentStore {
    // It is gone if it could not be opened again the last time.
    if coordinator.persistentStores.contains(where: { $0 === store }) { try coordinator.remove(store) }
    let destruction = Result<Void, any Error> {
      guard let file = configuration.file else { return }
      try coordinator.destroyPersistentStore(at: file, ofType: NSSQLiteStoreType, options: nil)
    }
    // Also if its data could not be deleted, the container has it as before.
    let opened = try open(configuration, name, nil)
    try destruction.get()
    return opened
  }

  private func noteErasure() {
    ownStores.erasureCount.add(1, ordering: .releasing)
    if isOnMainQueue() { return forgetErasedInMainContext() }
    DispatchQueue.main.async { [weak self] in self?.forgetErasedInMainContext() }
  }

  private func forgetErasedInMainContext() { (ownMainContext ?? sharedBy)?.forgetErased() }
}
