import Foundation

/// What a migration manager is to do.
struct MigrationJob {
  struct Store {
    let url: URL
    let type: String
    /// nil for all entities.
    var configuration: String?
    var options: [AnyHashable: Any]?
    /// Whether the file may be written beside while it is read: where it is to be replaced anyway. Else a copy is read
    /// of one that has a write-ahead log.
    var isOwn = false
  }

  let mapping: NSMappingModel
  let source: Store
  let destination: Store
  /// Whether the new store is to be taken for the old one: its UUID stays.
  var keepsIdentity = false
}

/// A model, a store and a context whose objects are all plain `NSManagedObject`: the model's classes belong to one
/// version of the program, which need not be that of the model.
final class MigrationStack {
  let model: NSManagedObjectModel
  let layouts: ModelLayouts
  let coordinator: NSPersistentStoreCoordinator
  let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  let store: NSPersistentStore

  /// A stack to be read.
  init(reading job: MigrationJob.Store, _ original: NSManagedObjectModel) throws {
    (model, layouts) = try MigrationStack.plain(original)
    var options = MigrationStack.plain(job.options)
    if !job.isOwn { options[NSReadOnlyPersistentStoreOption] = true }
    for key in [NSSQLiteAnalyzeOption, NSSQLiteManualVacuumOption] { options[key] = nil }
    // What another coordinator does with the store's history is no business of this one.
    options[NSPersistentHistoryTrackingKey] = nil
    let configuration = try job.configuration ?? MigrationStack.configuration(of: job, model)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(
      ofType: job.type, configurationName: configuration, at: job.url, options: options)
    store.isReadOnly = true
    context.name = "migration source"
    context.persistentStoreCoordinator = coordinator
  }

  /// A stack to be written.
  init(writing job: MigrationJob.Store, _ original: NSManagedObjectModel) throws {
    (model, layouts) = try MigrationStack.plain(original)
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    store = try coordinator.addPersistentStore(
      ofType: job.type, configurationName: job.configuration, at: job.url, options: MigrationStack.plain(job.options))
    if store.isReadOnly { throw Failure.readOnlyStore(url: job.url, entity: nil) }
    context.name = "migration destination"
    context.persistentStoreCoordinator = coordinator
    // What was saved is not to be validated before everything is there.
    context.validatesOnSave = false
  }

  /// Objects of rows that there are, without reading them.
  func faults(_ rows: [RowReference]) -> [NSManagedObject] {
    if rows.isEmpty { return [] }
    let number = context.owner.number(of: store.identity)
    return rows.map { context.owner.object(for: $0, store: number) }
  }

  func close() { try? coordinator.remove(store) }

  /// A copy whose objects are of no class of the program's.
  private static func plain(_ model: NSManagedObjectModel) throws -> (NSManagedObjectModel, ModelLayouts) {
    let copy = model.copy() as! NSManagedObjectModel
    try copy.freezeChecked()
    let layouts = ModelLayouts.of(copy)
    for layout in layouts.layouts { layout.makesPlainObjects() }
    return (copy, layouts)
  }

  private static func plain(_ options: [AnyHashable: Any]?) -> [AnyHashable: Any] {
    var options = options ?? [:]
    for key in [
      NSMigratePersistentStoresAutomaticallyOption, NSInferMappingModelAutomaticallyOption,
      NSPersistentStoreStagedMigrationManagerOptionKey, NSPersistentStoreDeferredLightweightMigrationOptionKey,
    ] { options[key] = nil }
    return options
  }

  /// The configuration by which a store was written; nil for all entities, or where none fits: opening the store says
  /// what is wrong.
  private static func configuration(of job: MigrationJob.Store, _ model: NSManagedObjectModel) throws -> String? {
    guard
      let metadata = try? NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: job.type, at: job.url),
      !model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    else { return nil }
    return model.configurations.sorted().first {
      model.isConfiguration(withName: $0, compatibleWithStoreMetadata: metadata)
    }
  }
}
