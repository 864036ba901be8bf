internal import DataModelFiles
import Foundation

extension NSManagedObjectModel {
  /// The model in a file: the current version of a `.momd` or `.xcdatamodeld`, or a `.mom` or `.xcdatamodel`;
  /// for an `.omo` the `.mom` beside it. Returns nil if the model can't be used; `init(checkedContentsOf:)` says why.
  public convenience init?(contentsOf url: URL) {
    guard let file = try? ModelFile(url: url) else { return nil }
    self.init()
    guard (try? ModelBuilder(file).fill(self)) != nil else { return nil }
    fileURL = url
  }

  /// As `init(contentsOf:)`, for files that a user chose: throws an error of the Cocoa domain whose text
  /// names file, line, entity, property, and what is wrong.
  ///
  ///     let model = try NSManagedObjectModel(checkedContentsOf: url)
  ///     // …/contents:12: error: Book.author: unknown destination entity "Writer"
  public convenience init(checkedContentsOf url: URL) throws {
    self.init()
    do {
      try ModelBuilder(try ModelFile(url: url)).fill(self)
      fileURL = url
    } catch let error as InvalidDataModel {
      throw Failure.unreadableModelFile(url: url, what: error.description).nsError
    }
  }
}

extension NSManagedObjectModel {
  /// The checksum of each version in a `.momd` or `.xcdatamodeld`, by the version's name. It is the
  /// `versionChecksum` of that version's model, and names the version in a migration's stages. Compiled models state
  /// it. Versions that can't be read are left out.
  ///
  /// - Throws: an error of the Cocoa domain that says what is wrong with the file.
  public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
    do {
      guard modelURL.pathExtension == "momd" else {
        guard modelURL.pathExtension == "xcdatamodeld" else {
          let version = try SourceModelReader.currentVersion(at: modelURL)
          return [version.name: version.versionChecksum()]
        }
        let versions = try SourceModelReader.versionFolders(in: modelURL).compactMap {
          try? SourceModelReader.model(at: $0).model
        }
        return Dictionary(versions.map { ($0.name, $0.versionChecksum()) }) { first, _ in first }
      }
      let info = try VersionInfo(momd: modelURL)
      // Older compilers stated only the hashes.
      let computed = info.hashes.mapValues { hashes in
        VersionHash.modelChecksum(hashes.map { (name: $0.key, hash: $0.value) })
      }
      return computed.merging(info.checksums) { _, stated in stated }
    } catch let error as InvalidDataModel {
      throw Failure.unreadableModelFile(url: modelURL, what: error.description).nsError
    }
  }
}

/// One version of a model as it was found in a file.
struct ModelFile {
  var url: URL
  var model: DataModel
  /// The version hashes that the file states, by entity; empty where it states none.
  var statedHashes: [String: [UInt8]] = [:]

  init(url: URL, model: DataModel, statedHashes: [String: [UInt8]] = [:]) {
    self.url = url
    self.model = model
    self.statedHashes = statedHashes
  }

  /// - Throws: `InvalidDataModel`.
  init(url: URL) throws {
    self.url = url
    switch url.pathExtension {
    case "momd":
      let info = try VersionInfo(momd: url)
      model = try CompiledModelFiles.model(at: CompiledModelFiles.currentVersion(of: url, by: info)).model
      statedHashes = info.hashes[model.name] ?? [:]
    case "mom", "omo":
      // The optimized form has the content of the .mom beside it, for one version of one system.
      let mom = url.deletingPathExtension().appendingPathExtension("mom")
      model = try CompiledModelFiles.model(at: mom).model
      statedHashes = CompiledModelFiles.statedHashes(of: mom)
    case "xcdatamodeld", "xcdatamodel":
      model = try SourceModelReader.currentVersion(at: url)
    default:
      throw InvalidDataModel(
        file: url.path, message: "a model file ends in .momd, .mom, .xcdatamodeld or .xcdatamodel")
    }
  }
}
