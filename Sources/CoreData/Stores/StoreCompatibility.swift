/// Whether a store's metadata and a model are compatible. Used by every kind of store.
package enum StoreCompatibility {
  /// Throws if the metadata is of another type of store, or if its version hashes differ from the model's. Returns
  /// false if they differ and that shall be ignored.
  ///
  /// - Parameter configuration: nil for all entities.
  package static func check(
    _ metadata: [String: Any], type: String, url: URL, model: NSManagedObjectModel, configuration: String?,
    options: [AnyHashable: Any]?
  ) throws -> Bool {
    let found = metadata[NSStoreTypeKey] as? String ?? type
    guard found == type else { throw Failure.storeTypeMismatch(url: url, expected: type, found: found) }
    guard let hashes = model.versionHashesByName(forConfigurationName: configuration) else {
      throw Failure.unknownConfiguration(name: configuration ?? "", configurations: model.configurations)
    }
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    let difference = Failure.Difference(stored: stored, model: hashes)
    if difference.isEmpty { return true }
    if isOn(NSIgnorePersistentStoreVersioningOption, options) { return false }
    throw Failure.incompatibleModel(url: url, metadata: metadata, difference: difference)
  }

  package static func isOn(_ option: String, _ options: [AnyHashable: Any]?) -> Bool {
    flag(option, options) ?? false
  }

  /// Whether an option is given, and says no.
  package static func isOff(_ option: String, _ options: [AnyHashable: Any]?) -> Bool {
    flag(option, options) == false
  }

  private static func flag(_ option: String, _ options: [AnyHashable: Any]?) -> Bool? {
    let value = options?[option]
    return (value as? Bool) ?? (value as? NSNumber)?.boolValue
  }
}
