import Foundation
import Synchronization

/// The task of a migration manager.
struct MigrationJob {
  struct Store {
    let url: URL
    let type: String
    /// nil for all entities.
    var configuration: String?
    var options: [AnyHashable: Any]?
    /// Whether opening the store may write files beside it, because the store is replaced anyway. If false, a store
    /// with a write-ahead log is copied and the copy is read.
    var isOwn = false

    /// The URL for error messages.
    var shownURL: URL { url.withoutPassword }

    func isSameStore(as other: Store) -> Bool {
      func place(_ url: URL) -> URL { url.isFileURL ? url.resolvingSymlinksInPath().standardizedFileURL : url }
      return place(url) == place(other.url)
    }
  }

  let mapping: NSMappingModel
  let source: Store
  let destination: Store
  /// Whether the new store takes the identity of the old one, so that the UUID stays.
  var keepsIdentity = false
  /// What the mapping stands for, if it was inferred and the program has not changed it.
  var delta: ModelDelta?
}

/// Tells what a save has written, also one that a policy has asked for.
final class MigrationContext: NSManagedObjectContext, @unchecked Sendable {
  // `@unchecked Sendable`: `didSave` is set before the first save, on the context's queue.
  /// Gets the new objects of a save, and those that it has deleted.
  final var didSave: ((_ new: ContiguousArray<NSManagedObject>, _ deleted: [RowReference]) -> Void)?

  override func save() throws {
    processPendingChanges()
    let (new, deleted) = (ledger.newObjects, ledger.deletedObjects.map(\.reference))
    try super.save()
    didSave?(new, deleted)
  }
}

/// A model, a store and a context whose objects are all plain `NSManagedObject`. The program's classes may belong to
/// another version of the model.
final class MigrationStack {
  let model: NSManagedObjectModel
  let layouts: ModelLayouts
  let coordinator: NSPersistentStoreCoordinator
  let context = MigrationContext(concurrencyType: .privateQueueConcurrencyType)
  let store: NSPersistentStore
  /// The first error of a fault or a relationship that could not be read where nothing can be thrown.
  private let unread = Mutex<(any Error)?>(nil)

  /// Opens a stack for reading.
  init(reading job: MigrationJob.Store, _ original: NSManagedObjectModel) throws {
    (model, layouts) = try MigrationStack.plain(original)
    var options = MigrationStack.reading(job.options)
    // Policies may change the source where its options say so.
    let isWritable = options.flag(NSReadOnlyPersistentStoreOption) == false
    if !job.isOwn && !isWritable { options[NSReadOnlyPersistentStoreOption] = true }
    let configuration = job.configuration ?? MigrationStack.configurations(of: job, model).first
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(
      ofType: job.type, configurationName: configuration, at: job.url, options: options)
    store.isReadOnly = !isWritable
    context.name = "migration source"
    context.persistentStoreCoordinator = coordinator
    noteUnread()
  }

  /// Opens a stack for writing.
  init(writing job: MigrationJob.Store, _ original: NSManagedObjectModel) throws {
    (model, layouts) = try MigrationStack.plain(original)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(
      ofType: job.type, configurationName: job.configuration, at: job.url, options: MigrationStack.plain(job.options))
    if store.isReadOnly { throw Failure.readOnlyStore(url: job.shownURL, entity: nil) }
    context.name = "migration destination"
    context.persistentStoreCoordinator = coordinator
    // Objects are validated only when all of them exist.
    context.validatesOnSave = false
    // What is related is a fault again by then. Its change is never saved if it can't be read.
    context.letsUnreadChange = true
    noteUnread()
  }

  private func noteUnread() {
    context.unreadableFaultHandler = { [weak self] _, error in
      self?.unread.withLock { if $0 == nil { $0 = error } }
      return .keepFault
    }
  }

  /// The objects of existing rows, without reading the rows.
  func faults(_ rows: [RowReference]) -> [NSManagedObject] {
    if rows.isEmpty { return [] }
    let number = context.owner.number(of: store.identity)
    return rows.map { context.owner.object(for: $0, store: number) }
  }

  func close() { try? coordinator.remove(store) }

  /// The number of objects of each entity that the store has, without those of its subentities. On the context's queue.
  func counts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for layout in layouts.layouts where coordinator.holds(store, layout) {
      let request = NSFetchRequest<NSManagedObject>(entityName: layout.name)
      request.includesSubentities = false
      counts[layout.name] = try context.count(for: request)
    }
    return counts
  }

  /// Throws the error of what could not be read, if anything could not. It read as empty meanwhile.
  func checkReading() throws {
    if let error = unread.withLock({ $0 }) { throw error }
  }

  /// A copy of a model whose objects are plain `NSManagedObject`.
  private static func plain(_ model: NSManagedObjectModel) throws -> (NSManagedObjectModel, ModelLayouts) {
    let copy = model.copy() as! NSManagedObjectModel
    try copy.freezeChecked()
    let layouts = ModelLayouts.of(copy)
    for layout in layouts.layouts { layout.makesPlainObjects() }
    return (copy, layouts)
  }

  /// A client's options as they serve for reading a version of its store.
  static func reading(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any] {
    var options = plain(options)
    for key in [NSSQLiteAnalyzeOption, NSSQLiteManualVacuumOption] { options[key] = nil }
    // Another coordinator may keep a history of the store; this one does not.
    for key in [NSPersistentHistoryTrackingKey, NSPersistentStoreRemoteChangeNotificationPostOptionKey] {
      options[key] = nil
    }
    options[StoreOptions.migrationSourceOption] = true
    return options
  }

  private static func plain(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any] {
    var options = options ?? [:]
    for key in [
      NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
      NSPersistentStoreStagedMigrationManagerOptionKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ] { options[key] = nil }
    return options
  }

  /// The configurations that a store may have been written with. None for all entities, and if no configuration fits;
  /// then opening the store reports the error.
  static func configurations(of job: MigrationJob.Store, _ model: NSManagedObjectModel) -> [String] {
    guard
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: job.type, at: job.url),
      !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    else { return [] }
    return model.namedConfigurations.filter {
      model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
    }
  }
}
