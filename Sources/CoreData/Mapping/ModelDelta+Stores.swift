extension ModelDelta {
  /// Finds the configuration that a store was made with, by the store's version hashes.
  ///
  /// - Parameter wanted: the configuration that the store should have.
  package func configuration(
    ofStore hashes: [String: Data], at url: URL, or wanted: String?
  ) throws -> String? {
    for name in [wanted, nil] + source.configurations.sorted().map({ $0 })
    where source.isVersion(ofStore: hashes, name) { return name }
    throw Failure.migrationFailed(
      url: url, reason: "another program has migrated it to a version that is not the model's", underlying: nil)
  }
}

extension NSManagedObjectModel {
  /// Whether a store with these version hashes is of this version of the model.
  package func isVersion(ofStore hashes: [String: Data], _ configuration: String?) -> Bool {
    guard let own = versionHashesByName(forConfigurationName: configuration) else { return false }
    return Failure.Difference(stored: hashes, model: own).isEmpty
  }
}
