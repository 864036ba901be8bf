import Foundation

/// The migration of one store, which this coordinator does not have open, to another version of its model.
struct StoreMigration {
  let storeClass: NSPersistentStore.Type
  let type: String
  let url: URL
  /// nil for all entities.
  let configuration: String?
  let options: [AnyHashable: Any]?
  /// The store's metadata before the migration.
  let metadata: [String: Any]
  let destination: NSManagedObjectModel

  var server: (any ServerStore.Type)? { storeClass as? any ServerStore.Type }

  /// The version hashes of the store, by the names of the entities that it has.
  var storedHashes: [String: Data] { metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:] }

  /// The URL for error messages.
  var shownURL: URL { url.withoutPassword }

  /// Migrates the store to the destination model. If it throws, the store is unchanged; but a staged migration without
  /// handlers leaves it at the version of the last complete step.
  func run() throws {
    if options?.flag(NSReadOnlyPersistentStoreOption) == true {
      throw Failure.readOnlyStore(url: shownURL, entity: nil)
    }
    if let manager = try StagedMigration.manager(in: options) {
      return try StagedMigration(migration: self, manager: manager).run()
    }
    let source = try sourceModel()
    if let mapping = NSMappingModel(from: nil, forSourceModel: source, destinationModel: destination) {
      return try replaceStore(from: source, by: mapping)
    }
    guard options?.flag(NSInferMappingModelAutomaticallyOption) == true else {
      throw Failure.missingMapping(url: shownURL, source: source, destination: destination, underlying: nil)
    }
    try migrateByInference(from: source)
  }

  /// Migrates the store to the destination model by the inferred mapping of the two models.
  func migrateByInference(from source: NSManagedObjectModel) throws {
    let delta = try delta(from: source, to: destination)
    try refuseObjects(delta)
    if let storeClass = storeClass as? any InPlaceMigrating.Type {
      return try storeClass.migrateInPlace(
        at: url, by: delta, to: ModelLayouts.of(destination), configuration: configuration, options: options)
    }
    try replaceStore(from: source, by: NSMappingModel(delta))
  }

  /// The inferred mapping of two models for the store.
  func delta(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws -> ModelDelta {
    try source.freezeChecked()
    try destination.freezeChecked()
    do {
      // A container whose model was not found has an empty model. Migrating to it would empty the store.
      guard source.entities.isEmpty || !destination.entities.isEmpty else {
        throw Failure.notInferable(
          entity: nil, property: nil, reason: "the model has no entities, so nothing in the store would be left")
      }
      return try ModelDelta(
        inferredFrom: source, to: destination, configuration: configuration, ofStore: storedHashes)
    } catch let failure as Failure {
      throw missingMapping(from: source, to: destination, failure)
    }
  }

  private func missingMapping(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel, _ failure: Failure
  ) -> Failure {
    Failure.missingMapping(url: shownURL, source: source, destination: destination, underlying: failure.nsError)
  }

  /// The model that the store was written with. It looks in the main bundle, then among the other versions in the
  /// destination's model file, then among the models that the program has loaded, and then in the store itself.
  func sourceModel() throws -> NSManagedObjectModel {
    if let model = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) { return model }
    if let model = destination.sibling(forStoreMetadata: metadata) { return model }
    if let model = LoadedModels.model(forStoreMetadata: metadata) { return model }
    if let model = (storeClass as? any InPlaceMigrating.Type)?.keptModel(at: url) { return model }
    throw Failure.missingSourceModel(
      url: shownURL, metadata: metadata, faults: destination.faultsOfVersions(forStoreMetadata: metadata))
  }
}
