import Foundation

/// Finds the models of the versions in a manager's stages.
struct StagedModels {
  let versions: [StagedVersions.Version]
  /// The coordinator's model.
  let destination: NSManagedObjectModel

  /// The checksum of a store's version: the one that its metadata states, or else that of its hashes.
  static func checksum(of metadata: [String: Any]) -> String {
    metadata[NSPersistentStoreModelVersionChecksumKey] as? String ?? computedChecksum(of: metadata)
  }

  private static func computedChecksum(of metadata: [String: Any]) -> String {
    NSManagedObjectModel.checksum(metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:])
  }

  /// The index of the store's version. A store of a configuration has only the hashes of a part of the model.
  func place(of metadata: [String: Any], configuration: String?) -> Int? {
    let checksums = [StagedModels.checksum(of: metadata), StagedModels.computedChecksum(of: metadata)]
    if let place = versions.firstIndex(where: { checksums.contains($0.checksum) }) { return place }
    guard configuration != nil else { return nil }
    let models = versions.indices.map { try? model(at: $0) }
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    return models.firstIndex { model in
      model?.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata) ?? false
    }
      ?? models.firstIndex { model in
        // An earlier version may lack the configuration, or have other entities in it.
        guard let known = model?.entityVersionHashesByName, !hashes.isEmpty else { return false }
        return hashes.allSatisfy { known[$0.key] == $0.value }
      }
  }

  /// - Throws: `Failure.modelReferenceNotFound` if the version has a reference whose model is not found.
  /// - Returns: the model; nil if only the checksum is known, and no model has it.
  func model(at place: Int) throws -> NSManagedObjectModel? {
    let version = versions[place]
    if let reference = version.reference { return try reference.resolve() }
    if destination.versionChecksum == version.checksum { return destination }
    return NSManagedObjectModel.version(withChecksum: version.checksum, in: nil)
      ?? destination.sibling(withChecksum: version.checksum) ?? LoadedModels.model(withChecksum: version.checksum)
  }
}
