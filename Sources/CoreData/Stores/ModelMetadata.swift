/// What a store's metadata says of its model.
package enum ModelMetadata {
  private static let hashesDigestKey = "NSStoreModelVersionHashesDigest"
  /// The version of the method that computes version hashes.
  private static let hashesVersion = 3

  /// The entries for a model.
  ///
  /// - Parameter configuration: nil for all entities.
  package static func entries(for model: NSManagedObjectModel, configuration: String?) -> [String: Any] {
    let hashes = model.versionHashesByName(forConfigurationName: configuration) ?? [:]
    return [
      NSStoreModelVersionHashesKey: hashes,
      NSStoreModelVersionHashesVersionKey: hashesVersion,
      hashesDigestKey: NSManagedObjectModel.hashesDigest(hashes),
      NSPersistentStoreModelVersionChecksumKey: NSManagedObjectModel.checksum(hashes),
      NSStoreModelVersionIdentifiersKey: model.versionIdentifiers.map { "\($0.base)" }.sorted(),
    ]
  }

  /// Throws if the metadata is of another type of store, or if its version hashes differ from the model's. Returns
  /// false if they differ and that shall be ignored.
  ///
  /// - Parameter configuration: nil for all entities.
  package static func fits(
    _ metadata: [String: Any], type: String, url: URL, model: NSManagedObjectModel, configuration: String?,
    options: [AnyHashable: Any]?
  ) throws -> Bool {
    let found = metadata[NSStoreTypeKey] as? String ?? type
    guard found == type else { throw Failure.storeTypeMismatch(url: url, expected: type, found: found) }
    guard let hashes = model.versionHashesByName(forConfigurationName: configuration) else {
      throw Failure.unknownConfiguration(name: configuration ?? "", configurations: model.namedConfigurations)
    }
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let difference = Failure.Difference(stored: stored, model: hashes)
    if difference.isEmpty { return true }
    if options?.flag(NSIgnorePersistentStoreVersioningOption) == true { return false }
    throw Failure.incompatibleModel(url: url, metadata: metadata, difference: difference)
  }
}
