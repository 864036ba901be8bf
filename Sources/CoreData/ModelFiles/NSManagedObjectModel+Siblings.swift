import Foundation

/// The other versions in the `.momd` or `.xcdatamodeld` that a model was read from.
extension NSManagedObjectModel {
  /// The model of those versions with which a store was written; nil where there is none.
  final func sibling(forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
    let models = siblingURLs.compactMap(NSManagedObjectModel.init(contentsOf:))
    if let whole = models.first(where: { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }) {
      return whole
    }
    // A store of a configuration has some of a version's entities only.
    return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
  }

  final func sibling(withChecksum checksum: String) -> NSManagedObjectModel? {
    siblingURLs.lazy.compactMap(NSManagedObjectModel.init(contentsOf:)).first { $0.versionChecksum == checksum }
  }

  private final var siblingURLs: [URL] {
    guard var folder = fileURL else { return [] }
    let folders = ["momd": "mom", "xcdatamodeld": "xcdatamodel"]
    if folders[folder.pathExtension] == nil { folder.deleteLastPathComponent() }
    guard let type = folders[folder.pathExtension] else { return [] }
    return Self.files(in: folder, [type])
  }
}
