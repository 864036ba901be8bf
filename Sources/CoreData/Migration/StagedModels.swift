import Foundation

/// Finds the models of the versions that stages go through.
struct StagedModels {
  let versions: [StagedVersions.Version]
  /// The coordinator's.
  let destination: NSManagedObjectModel

  /// The checksum of a store's version: the one that it states, else that of its hashes.
  static func checksum(of metadata: [String: Any]) -> String {
    metadata["NSStoreModelVersionChecksumKey"] as? String ?? computedChecksum(of: metadata)
  }

  private static func computedChecksum(of metadata: [String: Any]) -> String {
    NSManagedObjectModel.checksum(metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:])
  }

  /// Where a store is on the way. One of a configuration has the hashes of a part of the model only.
  func place(of metadata: [String: Any], configuration: String?) -> Int? {
    let checksums = [StagedModels.checksum(of: metadata), StagedModels.computedChecksum(of: metadata)]
    if let place = versions.firstIndex(where: { checksums.contains($0.checksum) }) { return place }
    guard configuration != nil else { return nil }
    return versions.indices.first { place in
      (try? model(at: place))?.isConfiguration(withName: configuration, compatibleWithStoreMetadata: metadata) ?? false
    }
  }

  /// - Throws: `Failure.modelReferenceNotFound` where a reference says what the model is, and it is not there.
  /// - Returns: nil where only the checksum is known, and nothing has it.
  func model(at place: Int) throws -> NSManagedObjectModel? {
    let version = versions[place]
    if let reference = version.reference { return try reference.resolve() }
    if destination.versionChecksum == version.checksum { return destination }
    return NSManagedObjectModel.version(withChecksum: version.checksum, in: nil)
      ?? destination.sibling(withChecksum: version.checksum) ?? LoadedModels.model(withChecksum: version.checksum)
  }
}
