import Foundation

/// What a model knows for good once it is in use.
struct FrozenModel {
  var entitiesByName: [String: NSEntityDescription]
  var entitiesInStoreOrder: [NSEntityDescription]
  var versionHashesByName: [String: Data]
  var versionChecksum: String
}

extension NSManagedObjectModel {
  /// One lock for all models: freezing is rare, and two coordinators may take one model at once.
  private static let freezing = NSLock()

  /// Makes the model immutable and computes what is asked of it often. Does nothing the second time.
  /// A model that cannot be used traps; call `validateForUse()` first where an error can be thrown.
  final func freeze() {
    NSManagedObjectModel.freezing.lock()
    defer { NSManagedObjectModel.freezing.unlock() }
    guard frozen == nil else { return }
    do { try validateForUse() } catch { misuse(.unusableModel(self, error: error as NSError)) }

    // Roots first: an entity's hash contains its parent's.
    for entity in entitiesInStoreOrder {
      for property in entity.ownProperties { property.freeze() }
      for index in entity.storedIndexes { index.isFrozen = true }
      entity.frozen = FrozenEntity(entity)
    }
    frozen = FrozenModel(
      entitiesByName: entitiesByName, entitiesInStoreOrder: entitiesInStoreOrder,
      versionHashesByName: entityVersionHashesByName, versionChecksum: versionChecksum)
  }
}

extension NSPropertyDescription {
  fileprivate func freeze() {
    frozenVersionHash = versionHash
    isFrozen = true
    if let composite = self as? NSCompositeAttributeDescription {
      for element in composite.storedElements { element.freeze() }
    }
  }
}
