import Foundation

/// Facts about a model that are computed when it is first used.
struct FrozenModel {
  var entitiesByName: [String: NSEntityDescription]
  var entitiesInStoreOrder: [NSEntityDescription]
  /// Including the subentities that a parent without any listed ones brings along.
  var configurations: [String: [NSEntityDescription]]
  var versionHashesByName: [String: Data]
  let checksum: LazyChecksum
}

/// The checksum of a frozen model. Few programs ask for it, and computing it takes a fiftieth of opening a store. Any
/// thread.
final class LazyChecksum: @unchecked Sendable {
  // `@unchecked Sendable`: `text` is only touched under `lock`.
  private let lock = NSLock()
  private var text: String?

  func value(_ make: () -> String) -> String {
    lock.lock()
    defer { lock.unlock() }
    if let text { return text }
    let made = make()
    text = made
    return made
  }
}

extension NSManagedObjectModel {
  /// One lock for all models: freezing is rare, and two coordinators may take one model at once.
  private static let freezing = NSLock()

  /// Makes the model immutable and computes facts that are needed often. Does nothing the second time. Traps if the
  /// model can't be used; use `freezeChecked()` where you can throw an error.
  final func freeze() {
    do { try freezeChecked() } catch { misuse(.unusableModel(self, error: error as NSError)) }
  }

  /// Like `freeze()`, but throws the error of `validateForUse()` and leaves the model mutable.
  final func freezeChecked() throws {
    NSManagedObjectModel.freezing.lock()
    defer { NSManagedObjectModel.freezing.unlock() }
    guard frozen == nil else { return }
    connectCopiedRelationships()
    try validateForUse()

    // Roots first: an entity's hash contains its parent's.
    let entitiesInStoreOrder = self.entitiesInStoreOrder
    for entity in entitiesInStoreOrder {
      // If the entity's hash is stated, the hashes of its properties may never be needed.
      let keepsHashes = entity.statedVersionHash == nil
      for property in entity.ownProperties { property.freeze(keepsHash: keepsHashes) }
      for index in entity.storedIndexes { index.isFrozen = true }
      entity.frozen = FrozenEntity(entity)
    }
    frozen = FrozenModel(
      entitiesByName: entitiesByName, entitiesInStoreOrder: entitiesInStoreOrder,
      configurations: storedConfigurations.mapValues { withHeirs($0) },
      versionHashesByName: entityVersionHashesByName, checksum: LazyChecksum())
    warnOfOneSidedInverses()
  }
}

extension NSManagedObjectModel {
  /// Connects relationships that were copied one by one, or with their entities. A copy leads to what its original
  /// leads to; where this model has an entity, and the entity an inverse, of the same name, those are meant. Does
  /// nothing once the model is frozen.
  final func connectCopiedRelationships() {
    if isFrozen { return }
    let relationships = storedEntities.flatMap { $0.ownProperties.compactMap { $0 as? NSRelationshipDescription } }
    for relationship in relationships {
      guard let stranger = relationship.storedDestinationEntity, stranger.owningModel !== self,
        let namesake = storedEntities.first(where: { $0.storedName == stranger.storedName })
      else { continue }
      relationship.storedDestinationEntity = namesake
    }
    for relationship in relationships {
      guard let stranger = relationship.storedInverseRelationship, !relationship.isAnswered(by: stranger),
        let namesake = relationship.storedDestinationEntity?.relationshipsByName[stranger.storedName]
      else { continue }
      relationship.storedInverseRelationship = namesake
    }
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
