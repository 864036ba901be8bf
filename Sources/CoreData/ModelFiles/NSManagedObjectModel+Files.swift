internal import DataModelFiles
import Foundation

extension NSManagedObjectModel {
  /// The model in a file: the current version of a `.momd` or `.xcdatamodeld`, or a `.mom` or `.xcdatamodel`.
  /// nil when there is no usable model; `init(checkedContentsOf:)` says why.
  public convenience init?(contentsOf url: URL) {
    guard let file = try? ModelFile(url: url) else { return nil }
    self.init()
    guard (try? ModelBuilder(file).fill(self)) != nil else { return nil }
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
    } catch let error as InvalidDataModel {
      throw Failure.unreadableModelFile(url: url, what: error.description).nsError
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
      let current = try CompiledModelFiles.currentVersion(of: url)
      model = try CompiledModelFiles.model(at: current).model
      statedHashes = CompiledModelFiles.statedHashes(of: current)
    case "mom":
      model = try CompiledModelFiles.model(at: url).model
      statedHashes = CompiledModelFiles.statedHashes(of: url)
    case "xcdatamodeld", "xcdatamodel":
      model = try SourceModelReader.package(at: url).currentVersion
    default:
      throw InvalidDataModel(
        file: url.path, message: "a model file ends in .momd, .mom, .xcdatamodeld or .xcdatamodel")
    }
  }
}
