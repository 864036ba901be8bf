import Foundation

/// The migration of one store, which nobody has open here, to another version of its model.
struct StoreMigration {
  let storeClass: NSPersistentStore.Type
  let type: String
  let url: URL
  /// nil for all entities.
  let configuration: String?
  let options: [AnyHashable: Any]?
  /// The store's, before.
  let metadata: [String: Any]
  let destination: NSManagedObjectModel

  private var server: (any ServerStore.Type)? { storeClass as? any ServerStore.Type }

  /// The URL as errors may show it.
  private var shownURL: URL { server?.shown(url) ?? url }

  /// What a store needs files for.
  func refuseServer(_ what: String) throws {
    if server != nil { throw Failure.unsupportedFeature("\(what) of a store on a server") }
  }

  /// Brings the store to the destination model, or leaves it as it is and throws.
  func run() throws {
    if StoreCompatibility.isOn(NSReadOnlyPersistentStoreOption, options) {
      throw Failure.readOnlyStore(url: shownURL, entity: nil)
    }
    if let manager = try StagedMigration.manager(in: options) {
      return try StagedMigration(migration: self, manager: manager).run()
    }
    let source = try sourceModel()
    if let mapping = NSMappingModel(from: nil, forSourceModel: source, destinationModel: destination) {
      return try replaceStore(from: source, by: mapping)
    }
    guard StoreCompatibility.isOn(NSInferMappingModelAutomaticallyOption, options) else {
      throw Failure.missingMapping(url: shownURL, source: source, destination: destination, underlying: nil)
    }
    try migrateByInference(from: source)
  }

  /// Brings the store to the destination model by what the two models imply.
  func migrateByInference(from source: NSManagedObjectModel) throws {
    let delta = try delta(from: source, to: destination)
    do {
      try refuseObjectsOfAbstractEntities(delta)
    } catch let failure as Failure {
      throw missingMapping(from: source, to: destination, failure)
    }
    if let storeClass = storeClass as? any InPlaceMigrating.Type {
      return try storeClass.migrateInPlace(
        at: url, by: delta, to: ModelLayouts.of(destination), configuration: configuration, options: options)
    }
    try replaceStore(from: source, by: NSMappingModel(delta))
  }

  /// What two models imply for the store.
  func delta(from source: NSManagedObjectModel, to destination: NSManagedObjectModel) throws -> ModelDelta {
    try source.freezeChecked()
    try destination.freezeChecked()
    do {
      // A container whose model was not found has an empty one. To migrate to it would empty the store.
      guard source.entities.isEmpty || !destination.entities.isEmpty else {
        throw Failure.notInferable(
          entity: nil, property: nil, reason: "the model has no entities, so nothing in the store would be left")
      }
      return try ModelDelta(inferredFrom: source, to: destination, configuration: configuration)
    } catch let failure as Failure {
      throw missingMapping(from: source, to: destination, failure)
    }
  }

  private func missingMapping(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel, _ failure: Failure
  ) -> Failure {
    Failure.missingMapping(url: shownURL, source: source, destination: destination, underlying: failure.nsError)
  }

  /// The model that the store was written with: one of a bundle's, else another version in the file that the
  /// destination was read from, else one that the program has loaded, else what the store keeps of it.
  func sourceModel() throws -> NSManagedObjectModel {
    if let model = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) { return model }
    if let model = destination.sibling(forStoreMetadata: metadata) { return model }
    if let model = LoadedModels.model(forStoreMetadata: metadata) { return model }
    if let model = (storeClass as? any InPlaceMigrating.Type)?.keptModel(at: url) { return model }
    throw Failure.missingSourceModel(
      url: shownURL, metadata: metadata, faults: destination.faultsOfVersions(forStoreMetadata: metadata))
  }
}
