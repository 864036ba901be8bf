package import DataModelFiles

/// For the package's own tools, which hold models as plain values.
extension NSManagedObjectModel {
  /// The model that plain values describe.
  ///
  /// - Parameters:
  ///   - url: the file that problems name.
  ///   - statedHashes: the version hashes that the file states, by entity; they count before computed ones.
  /// - Throws: `InvalidDataModel` for what the values say and the stack cannot do.
  package convenience init(
    values: DataModel, url: URL, statedHashes: [String: [UInt8]] = [:]
  ) throws {
    self.init()
    try ModelBuilder(ModelFile(url: url, model: values, statedHashes: statedHashes)).fill(self)
  }
}
