import Foundation

extension SQLiteStore {
  /// Brings a file, which no store of this process has open, to another version of its model, in one transaction.
  ///
  /// - Parameter configuration: nil for all entities.
  /// - Throws: a `Failure`; the file is then as it was.
  static func migrateInPlace(
    at url: URL, by delta: ModelDelta, to layouts: ModelLayouts, configuration: String?,
    options: [AnyHashable: Any]?
  ) throws {
    throw Failure.unsupportedFeature("Migration in place")
  }
}
