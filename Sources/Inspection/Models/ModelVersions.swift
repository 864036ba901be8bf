import DataModelFiles
import Foundation
import PostgreSQLStore

/// A model file of any form, with all its versions.
public struct ModelVersions: Sendable {
  public struct Version: Sendable {
    public let model: DataModel
    public let isCurrent: Bool
    /// The version hashes in a compiled model, by entity; empty if there are none.
    public let statedHashes: [String: [UInt8]]

    /// Hashes by entity. Those in the file take precedence, because some can't be computed.
    public var hashes: [String: [UInt8]] { model.entityVersionHashes().merging(statedHashes) { $1 } }
  }

  public let url: URL
  public let kind: FileKind
  public let versions: [Version]
  /// Oddities that do no harm.
  public let warnings: [String]

  /// Reads the file that ``FileKind/find(at:)`` found.
  public init(kind: FileKind, url: URL) throws {
    self.url = url
    self.kind = kind
    do {
      let package = try Self.package(kind, url)
      var stated: [String: [String: [UInt8]]] = [:]
      if kind == .compiledPackage { stated = (try? VersionInfo(momd: url).hashes) ?? [:] }
      if kind == .compiledModel {
        stated[package.versions[0].name] = CompiledModelFiles.statedHashes(of: url)
      }
      versions = package.versions.map { model in
        Version(
          model: model, isCurrent: model.name == package.currentVersionName,
          statedHashes: stated[model.name] ?? [:])
      }
      warnings = package.warnings.map(\.description)
    } catch let error as InvalidDataModel {
      let first = error.problems[0].description
      let rest =
        error.problems.count > 1 ? " (and \(counted(error.problems.count - 1, "other problem")))" : ""
      throw InspectionFailure("The model \(url.path) cannot be read: \(first)\(rest).")
    }
  }

  /// Finds and reads a model. Throws if the file is a store.
  public init(at url: URL) throws {
    let found = try FileKind.find(at: url)
    guard !found.kind.isStore else {
      throw InspectionFailure("The file \(url.path) is a store, not a model.")
    }
    try self.init(kind: found.kind, url: found.url)
  }

  public var current: Version { versions.first(where: \.isCurrent) ?? versions[0] }

  private static func package(_ kind: FileKind, _ url: URL) throws -> DataModelPackage {
    func single(_ read: (model: DataModel, warnings: [DataModelProblem])) -> DataModelPackage {
      var package = DataModelPackage(
        name: read.model.name, versions: [read.model], currentVersionName: read.model.name)
      package.warnings = read.warnings
      return package
    }
    switch kind {
    case .modelPackage: return try SourceModelReader.package(ofVersionsIn: url)
    case .model: return single(try SourceModelReader.model(at: url))
    case .compiledModel: return single(try CompiledModelFiles.model(at: url))
    case .compiledPackage:
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path).filter {
        $0.hasSuffix(".mom")
      }
      let info = url.appendingPathComponent("VersionInfo.plist").path
      // Without its VersionInfo.plist, a folder is still clear if it has only one version.
      if names.count == 1, !FileManager.default.fileExists(atPath: info) {
        return single(try CompiledModelFiles.model(at: url.appendingPathComponent(names[0])))
      }
      return try CompiledModelFiles.package(at: url)
    case .sqliteStore, .xmlStore, .binaryStore, .postgreSQLStore:
      throw InspectionFailure("The file \(url.path) is a store, not a model.")
    case .mappingModel, .compiledMappingModel:
      throw InspectionFailure("The file \(url.path) is a mapping model, not a model.")
    }
  }
}

extension FileKind {
  /// The name of the kind in a report.
  var words: String {
    switch self {
    case .sqliteStore: "SQLite store"
    case .xmlStore: "XML store"
    case .binaryStore: "binary store"
    case .postgreSQLStore: "store on a PostgreSQL server"
    case .modelPackage: "model with versions (.xcdatamodeld)"
    case .model: "model (.xcdatamodel)"
    case .compiledPackage: "compiled model with versions (.momd)"
    case .compiledModel: "compiled model (.mom)"
    case .mappingModel: "mapping model (.xcmappingmodel)"
    case .compiledMappingModel: "compiled mapping model (.cdm)"
    }
  }

  /// The name of the kind in JSON.
  var form: String {
    switch self {
    case .modelPackage: "xcdatamodeld"
    case .model: "xcdatamodel"
    case .compiledPackage: "momd"
    case .compiledModel: "mom"
    case .sqliteStore: "SQLite"
    case .xmlStore: "XML"
    case .binaryStore: "Binary"
    case .postgreSQLStore: NSPostgreSQLStoreType
    case .mappingModel: "xcmappingmodel"
    case .compiledMappingModel: "cdm"
    }
  }
}
