import Foundation

/// Takes a store through stages whose handlers change its data. It works on a copy beside the store, which then takes
/// the store's place. After any error, and after a kill at any moment, the store has either its old version or the
/// complete new one.
struct StagedCopy {
  let migration: StoreMigration
  let manager: NSStagedMigrationManager

  func run(_ steps: [StagedMigration.Step]) throws {
    let new = try migration.newVersion(from: steps[0].source)
    defer { new.remove() }
    let copy = new.url
    try new.copyStore()
    for step in steps {
      if let stage = step.stage, let handler = stage.willMigrateHandler {
        try call(handler, of: stage, "willMigrateHandler", with: step.source, at: copy)
      }
      try migration.step(to: step.destination, at: copy, from: step.source)
      if let stage = step.stage, let handler = stage.didMigrateHandler {
        try call(handler, of: stage, "didMigrateHandler", with: step.destination, at: copy)
      }
    }
    try new.check()
    try new.putInPlace()
  }

  // MARK: Handlers

  private func call(
    _ handler: (NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void, of stage: NSCustomMigrationStage,
    _ name: String, with model: NSManagedObjectModel, at url: URL
  ) throws {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    var options = migration.options ?? [:]
    options[NSPersistentStoreStagedMigrationManagerOptionKey] = nil
    options[NSPersistentStoreDeferredLightweightMigrationOptionKey] = nil
    let store = try coordinator.addPersistentStore(
      ofType: migration.type, configurationName: migration.configuration, at: url, options: options)
    manager.stack = StagedStack(coordinator: coordinator, store: store, options: options)
    defer {
      manager.stack = nil
      // Objects in contexts that the handler has kept have no store from here on.
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    do { try handler(manager, stage) } catch {
      let cause = error.publicError
      throw Failure.migrationFailed(
        url: migration.shownURL, reason: "the \(name) of the stage \(stage.label ?? "without a label") failed",
        underlying: cause)
    }
  }
}
