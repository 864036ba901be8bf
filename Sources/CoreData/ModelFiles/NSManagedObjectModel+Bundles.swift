import Foundation

extension NSManagedObjectModel {
  /// Merges all models in bundles into one; of a `.momd` it takes the current version. Without bundles it searches the
  /// main bundle, which in a Swift package has the resources of the program's targets. The model is empty if there is
  /// none to merge.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let models = modelURLs(in: bundles).compactMap(NSManagedObjectModel.init(contentsOf:))
    return models.isEmpty ? NSManagedObjectModel() : NSManagedObjectModel(byMerging: models)
  }

  /// Merges the entities that a store was written with into one model, from any version of the models in bundles.
  /// Returns nil if one of them is missing.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    let models = modelURLs(in: bundles).flatMap(versionURLs).compactMap(NSManagedObjectModel.init(contentsOf:))
    return models.isEmpty ? nil : NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
  }

  /// The version with a checksum in a bundle; nil is the main bundle. Of compiled models only that one is read.
  static func version(withChecksum checksum: String, in bundle: Bundle?) -> NSManagedObjectModel? {
    for url in modelURLs(in: bundle.map { [$0] }) {
      if url.pathExtension == "momd" {
        let stated = (try? checksumsForVersionedModel(at: url)) ?? [:]
        for name in stated.filter({ $0.value == checksum }).keys.sorted() {
          if let model = NSManagedObjectModel(contentsOf: url.appendingPathComponent("\(name).mom")) { return model }
        }
      } else if let model = NSManagedObjectModel(contentsOf: url), model.versionChecksum == checksum {
        return model
      }
    }
    return nil
  }

  /// The files of all versions of all models in a bundle; nil is the main bundle.
  static func versionURLs(in bundle: Bundle?) -> [URL] { modelURLs(in: bundle.map { [$0] }).flatMap(versionURLs) }

  private static func modelURLs(in bundles: [Bundle]?) -> [URL] {
    resourceURLs(in: bundles, ["momd", "mom"])
  }

  /// The files in bundles that have one of these extensions: bundle by bundle, in order of name.
  static func resourceURLs(in bundles: [Bundle]?, _ types: Set<String>) -> [URL] {
    let folders = (bundles ?? [.main]).flatMap { bundle -> [URL] in
      let own = [bundle.resourceURL ?? bundle.bundleURL]
      return bundle.bundlePath == Bundle.main.bundlePath ? PackageResources.folders() + own : own
    }
    return folders.flatMap { files(in: $0, types) }
  }

  /// The models of all versions in a `.momd`.
  static func versionURLs(of url: URL) -> [URL] {
    url.pathExtension == "momd" ? files(in: url, ["mom"]) : [url]
  }

  /// The files in a folder that have one of these extensions, or all of them, in order of name.
  static func files(in folder: URL, _ types: Set<String>?) -> [URL] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    // The names are looked at first: a program's folder may have a thousand files, and a URL costs more than a name.
    return names.filter { types?.contains(($0 as NSString).pathExtension) ?? true }.sorted()
      .map(folder.appendingPathComponent)
  }
}
