package import DataModelFiles

/// For this package's tools, which keep models as plain values.
extension NSManagedObjectModel {
  /// The model that plain values describe.
  ///
  /// - Parameters:
  ///   - url: the file that problems name.
  ///   - statedHashes: the version hashes that the file states, by entity; they count before computed ones.
  /// - Throws: `InvalidDataModel` if the values ask for something that the stack can't do.
  package convenience init(
    values: DataModel, url: URL, statedHashes: [String: [UInt8]] = [:]
  ) throws {
    self.init()
    try ModelBuilder(ModelFile(url: url, model: values, statedHashes: statedHashes)).fill(self)
  }
}
