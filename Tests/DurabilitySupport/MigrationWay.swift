import CoreData

/// How a store gets from the ledger's model to the later one.
public enum MigrationWay: String, CaseIterable, Sendable {
  /// By the coordinator, when the store is added.
  case automatic
  /// By a migration manager into a new file, which then replaces the old one.
  case progressive
  /// By a stage with handlers.
  case staged

  public func migrate(_ setup: StoreSetup, in folder: URL) throws {
    switch self {
    case .automatic: try automatically(setup, in: folder)
    case .progressive: try progressively(setup, in: folder)
    case .staged: try inStages(setup, in: folder)
    }
  }

  private func automatically(_ setup: StoreSetup, in folder: URL, _ more: [AnyHashable: Any] = [:]) throws {
    let asked: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
    ]
    let options = setup.options.merging(asked.merging(more) { $1 }) { $1 }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: laterLedgerModel)
    try coordinator.addPersistentStore(
      ofType: setup.type, configurationName: nil, at: setup.url(in: folder), options: options)
    try coordinator.removeAllStores()
  }

  private func progressively(_ setup: StoreSetup, in folder: URL) throws {
    let url = setup.url(in: folder)
    // A program that goes from version to version asks for the version first. A call that failed may have replaced the
    // file all the same.
    let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(ofType: setup.type, at: url)
    if laterLedgerModel.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) { return }
    let place = folder.deletingLastPathComponent().appendingPathComponent("new", isDirectory: true)
    try? FileManager.default.removeItem(at: place)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let new = setup.url(in: place)
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: ledgerModel, destinationModel: laterLedgerModel)
    let manager = NSMigrationManager(sourceModel: ledgerModel, destinationModel: laterLedgerModel)
    manager.usesStoreSpecificMigrationManager = false
    try manager.migrateStore(
      from: url, sourceType: setup.type, options: setup.options, with: mapping, toDestinationURL: new,
      destinationType: setup.type, destinationOptions: setup.options)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: laterLedgerModel)
    try coordinator.replacePersistentStore(
      at: url, destinationOptions: setup.options, withPersistentStoreFrom: new, sourceOptions: setup.options,
      ofType: setup.type)
  }

  private func inStages(_ setup: StoreSetup, in folder: URL) throws {
    func reference(_ model: NSManagedObjectModel) -> NSManagedObjectModelReference {
      NSManagedObjectModelReference(model: model, versionChecksum: model.versionChecksum)
    }
    let stage = NSCustomMigrationStage(migratingFrom: reference(ledgerModel), to: reference(laterLedgerModel))
    stage.didMigrateHandler = { manager, _ in
      guard let context = manager.container?.newBackgroundContext() else { return }
      try context.performAndWait {
        for book in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) {
          book.setValue(8, forKey: "pages")
        }
        try context.save()
      }
    }
    let stages = NSStagedMigrationManager([stage])
    try automatically(setup, in: folder, [NSPersistentStoreStagedMigrationManagerOptionKey: stages])
  }
}
