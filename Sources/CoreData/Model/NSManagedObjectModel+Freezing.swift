import Foundation

/// What a model knows for good once it is in use.
struct FrozenModel {
  var entitiesByName: [String: NSEntityDescription]
  var entitiesInStoreOrder: [NSEntityDescription]
  /// With the entities that lone parents take along.
  var configurations: [String: [NSEntityDescription]]
  var versionHashesByName: [String: Data]
  var versionChecksum: String
}

extension NSManagedObjectModel {
  /// One lock for all models: freezing is rare, and two coordinators may take one model at once.
  private static let freezing = NSLock()

  /// Makes the model immutable and computes what is asked of it often. Does nothing the second time.
  /// A model that cannot be used traps; use `freezeChecked()` where an error can be thrown.
  final func freeze() {
    do { try freezeChecked() } catch { misuse(.unusableModel(self, error: error as NSError)) }
  }

  /// As `freeze()`; throws what `validateForUse()` finds, and leaves the model as it was.
  final func freezeChecked() throws {
    NSManagedObjectModel.freezing.lock()
    defer { NSManagedObjectModel.freezing.unlock() }
    guard frozen == nil else { return }
    try validateForUse()

    // Roots first: an entity's hash contains its parent's.
    let entitiesInStoreOrder = self.entitiesInStoreOrder
    for entity in entitiesInStoreOrder {
      // Where the entity's hash is stated, nobody may ever ask for those of its properties.
      let keepsHashes = entity.statedVersionHash == nil
      for property in entity.ownProperties { property.freeze(keepsHash: keepsHashes) }
      for index in entity.storedIndexes { index.isFrozen = true }
      entity.frozen = FrozenEntity(entity)
    }
    frozen = FrozenModel(
      entitiesByName: entitiesByName, entitiesInStoreOrder: entitiesInStoreOrder,
      configurations: storedConfigurations.mapValues { withHeirs($0) },
      versionHashesByName: entityVersionHashesByName, versionChecksum: versionChecksum)
    warnOfOneSidedInverses()
  }
}

extension NSPropertyDescription {
  fileprivate func freeze(keepsHash: Bool) {
    if keepsHash { frozenVersionHash = versionHash }
    isFrozen = true
    if let composite = self as? NSCompositeAttributeDescription {
      for element in composite.storedElements { element.freeze(keepsHash: keepsHash) }
    }
  }
}
