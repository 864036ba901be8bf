/// A store that keeps its rows in memory only; they are gone with the store. Any thread may use it.
final class InMemoryStore: NSPersistentStore, MemoryBacked, ValueStore, FileOperating {
  let committed: CommittedRows
  /// Keeps the model's descriptions alive. Layouts point to them without retaining them.
  private let model: NSManagedObjectModel

  override var type: String { NSInMemoryStoreType }

  override init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?, configurationName name: String?,
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) {
    guard let root else {
      misuse("An in-memory store needs a coordinator: its rows are laid out by a model.")
    }
    model = root.ownModel
    committed = CommittedRows(root.layouts)
    super.init(persistentStoreCoordinator: root, configurationName: name, at: url, options: options)
  }

  override func loadMetadata() throws {
    metadata = ModelMetadata.entries(for: model, configuration: configuration)
    metadata[NSStoreTypeKey] = type
    metadata[NSStoreUUIDKey] = identity.uuid
  }

  override func willRemove(from coordinator: NSPersistentStoreCoordinator?) { committed.removeAll() }

  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64 { committed.reserveKeys(count, in: root) }

  // The store has no file, so its URL is only a name.

  static func isOccupied(_ url: URL) throws -> Bool { false }

  static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws {}

  static func removeStore(at url: URL) {}

  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws {
    throw Failure.unsupportedFeature("Replacing a store in memory by another store")
  }

  func commit(_ changes: ChangeSet) throws -> SaveOutcome { committed.commit(changes) }
}
