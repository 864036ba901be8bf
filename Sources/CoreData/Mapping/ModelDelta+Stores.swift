extension ModelDelta {
  /// Finds the configuration that a store was made with, by the store's version hashes.
  ///
  /// - Parameter wanted: the configuration that the store should have.
  package func configuration(
    ofStore hashes: [String: Data], at url: URL, or wanted: String?
  ) throws -> String? {
    if let found = source.configurations(ofStore: hashes, or: wanted).first { return found }
    throw Failure.migrationFailed(
      url: url, reason: "another program has migrated it to a version that is not the model's", underlying: nil)
  }
}

extension NSManagedObjectModel {
  /// The configurations whose version hashes a store has, the wanted one first. nil stands for all entities.
  fileprivate final func configurations(ofStore hashes: [String: Data], or wanted: String?) -> [String?] {
    ([wanted, nil] + namedConfigurations).filter { isVersion(ofStore: hashes, $0) }
  }

  /// The entities that a store of this version has, as its version hashes state them; nil if it is of another version.
  final func entitiesInStoreOrder(ofStore hashes: [String: Data], or wanted: String?) -> [NSEntityDescription]? {
    configurations(ofStore: hashes, or: wanted).first.flatMap { entitiesInStoreOrder(forConfigurationName: $0) }
  }

  /// Whether a store with these version hashes is of this version of the model.
  package func isVersion(ofStore hashes: [String: Data], _ configuration: String?) -> Bool {
    guard let own = versionHashesByName(forConfigurationName: configuration) else { return false }
    return Failure.Difference(stored: hashes, model: own).isEmpty
  }
}
