internal import DataModelFiles
import Foundation

extension NSManagedObjectModel {
  /// The version hash of every entity, by name.
  public var entityVersionHashesByName: [String: Data] {
    frozen?.versionHashesByName ?? hashesByName(of: storedEntities)
  }

  /// One text for all the entities' hashes: base64 of 32 bytes. Equal texts mean compatible models.
  public var versionChecksum: String {
    func compute() -> String { VersionHash.modelChecksum(VersionHash.list(entityVersionHashesByName)) }
    return frozen?.checksum.value(compute) ?? compute()
  }

  /// Whether a store with this metadata can be opened with a configuration of this model. It can if it was written with
  /// the same entities, and each has the same hash.
  public func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let entities = entities(forConfigurationName: configuration),
      let stored = metadata["NSStoreModelVersionHashes"] as? [String: Data]
    else { return false }
    return Failure.Difference(stored: stored, model: hashesByName(of: entities)).isEmpty
  }

  /// The hashes of a configuration's entities, as in a store's metadata; nil if there is no such configuration.
  final func versionHashesByName(forConfigurationName configuration: String?) -> [String: Data]? {
    entities(forConfigurationName: configuration).map(hashesByName(of:))
  }

  /// The text in a store's metadata beside the hashes.
  static func hashesDigest(_ hashesByName: [String: Data]) -> String {
    VersionHash.hashesDigest(VersionHash.list(hashesByName))
  }

  static func checksum(_ hashesByName: [String: Data]) -> String {
    VersionHash.modelChecksum(VersionHash.list(hashesByName))
  }

  private func hashesByName(of entities: [NSEntityDescription]) -> [String: Data] {
    Dictionary(
      entities.compactMap { entity in entity.storedName.map { ($0, entity.versionHash) } },
      uniquingKeysWith: { $1 })
  }
}

extension VersionHash {
  fileprivate static func list(_ hashesByName: [String: Data]) -> [(name: String, hash: [UInt8])] {
    hashesByName.map { (name: $0.key, hash: Array($0.value)) }
  }
}
