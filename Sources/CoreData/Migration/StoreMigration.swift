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

  /// Brings the store to the destination model, or leaves it as it is and throws.
  func run() throws {
    if StoreCompatibility.isOn(NSReadOnlyPersistentStoreOption, options) {
      throw Failure.readOnlyStore(url: url, entity: nil)
    }
    let source = try sourceModel()
    if let mapping = NSMappingModel(from: nil, forSourceModel: source, destinationModel: destination) {
      return try replaceStore(from: source, by: mapping)
    }
    guard StoreCompatibility.isOn(NSInferMappingModelAutomaticallyOption, options) else {
      throw Failure.missingMapping(url: url, source: source, destination: destination, underlying: nil)
    }
    try migrateByInference(from: source)
  }

  /// Brings the store to the destination model by what the two models imply.
  func migrateByInference(from source: NSManagedObjectModel) throws {
    try source.freezeChecked()
    let delta: ModelDelta
    do {
      delta = try ModelDelta(inferredFrom: source, to: destination, configuration: configuration)
      try refuseObjectsOfAbstractEntities(delta)
    } catch let failure as Failure {
      throw Failure.missingMapping(
        url: url, source: source, destination: destination, underlying: failure.nsError)
    }
    if storeClass == SQLiteStore.self {
      return try SQLiteStore.migrateInPlace(
        at: url, by: delta, to: ModelLayouts.of(destination), configuration: configuration, options: options)
    }
    try replaceStore(from: source, by: NSMappingModel(delta))
  }

  /// The model that the store was written with: one of a bundle's, else one that the program has loaded, else what the
  /// store keeps of it.
  func sourceModel() throws -> NSManagedObjectModel {
    if let model = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata) { return model }
    if let model = LoadedModels.model(forStoreMetadata: metadata) { return model }
    if storeClass == SQLiteStore.self, let model = try? NSManagedObjectModel(storedIn: url),
      model.storeOrigin == .cached
    {
      return model
    }
    throw Failure.missingSourceModel(url: url, metadata: metadata)
  }
}
