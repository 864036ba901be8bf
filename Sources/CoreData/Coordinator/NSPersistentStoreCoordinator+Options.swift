/// Options that a store would have to obey and can't.
extension NSPersistentStoreCoordinator {
  /// Throws for an option that asks for what is not implemented: a store that ignored it would pretend.
  static func refuseMissing(_ options: [AnyHashable: Any]?) throws {
    let missing = [
      (
        NSPersistentStoreStagedMigrationManagerOptionKey,
        "Staged migration (NSPersistentStoreStagedMigrationManagerOptionKey)"
      )
    ]
    for (key, feature) in missing where isAskedFor(options?[key]) {
      throw Failure.unsupportedFeature(feature).nsError
    }
  }

  /// Whether an option's value is anything but false.
  private static func isAskedFor(_ value: Any?) -> Bool {
    guard let value, !(value is NSNull) else { return false }
    return (value as? Bool) ?? (value as? NSNumber)?.boolValue ?? true
  }
}
