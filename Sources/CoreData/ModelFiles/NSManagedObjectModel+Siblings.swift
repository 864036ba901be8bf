internal import DataModelFiles
import Foundation

/// The other versions in the `.momd` or `.xcdatamodeld` that a model was read from.
extension NSManagedObjectModel {
  /// The model of the version that a store was written with; nil if it is not among them.
  final func sibling(forStoreMetadata metadata: [String: Any]) -> NSManagedObjectModel? {
    let models = siblingURLs.compactMap(NSManagedObjectModel.init(contentsOf:))
    if let whole = models.first(where: { $0.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) }) {
      return whole
    }
    // The store of a configuration has only some of a version's entities.
    return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
  }

  final func sibling(withChecksum checksum: String) -> NSManagedObjectModel? {
    siblingURLs.lazy.compactMap(NSManagedObjectModel.init(contentsOf:)).first { $0.versionChecksum == checksum }
  }

  /// The unreadable versions beside this model, or in a bundle, that a store may have been written with: a sentence for
  /// each, with the reason. Of compiled models, only the one whose stated hashes are the store's.
  final func faultsOfVersions(forStoreMetadata metadata: [String: Any]) -> [String] {
    let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    var seen: Set<String> = []
    return (siblingURLs + Self.versionURLs(in: nil)).filter { seen.insert($0.path).inserted }.compactMap { url in
      if url.pathExtension == "mom" {
        let hashes = CompiledModelFiles.statedHashes(of: url).mapValues { Data($0) }
        if !hashes.isEmpty, !stored.allSatisfy({ hashes[$0.key] == $0.value }) { return nil }
      }
      do {
        _ = try NSManagedObjectModel(checkedContentsOf: url)
        return nil
      } catch {
        return "\(url.lastPathComponent): \(error.localizedDescription)"
      }
    }
  }

  private final var siblingURLs: [URL] {
    guard var folder = fileURL else { return [] }
    let folders = ["momd": "mom", "xcdatamodeld": "xcdatamodel"]
    if folders[folder.pathExtension] == nil { folder.deleteLastPathComponent() }
    guard let type = folders[folder.pathExtension] else { return [] }
    return Self.files(in: folder, [type])
  }
}
