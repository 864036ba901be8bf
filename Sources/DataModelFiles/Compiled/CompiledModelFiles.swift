import Foundation

/// Reads and writes compiled models: a `.momd` folder with one `.mom` for each version, or a `.mom` alone.
public enum CompiledModelFiles {
  /// The model in the bytes of a `.mom`.
  ///
  /// - Parameter file: the name that problems carry.
  /// - Throws: `InvalidDataModel`.
  public static func model(
    mom bytes: [UInt8], name: String, file: String
  ) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    var reader = try ArchivedModelReader(bytes, file: file)
    let model = try reader.model(named: name)
    var validator = DataModelValidator(model: model, file: file)
    validator.validate()
    let errors = validator.problems.filter { $0.severity == .error }
    guard errors.isEmpty else { throw InvalidDataModel(problems: errors) }
    return (model, reader.warnings + validator.problems)
  }

  public static func model(at mom: URL) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    guard let data = FileManager.default.contents(atPath: mom.path) else {
      throw InvalidDataModel(file: mom.path, message: "there is no such compiled model")
    }
    return try model(
      mom: Array(data), name: mom.deletingPathExtension().lastPathComponent, file: mom.path)
  }

  /// The `.mom` of a `.momd`'s current version, as its VersionInfo.plist names it.
  public static func currentVersion(of momd: URL) throws -> URL {
    let file = momd.appendingPathComponent("VersionInfo.plist")
    guard let data = FileManager.default.contents(atPath: file.path) else {
      throw InvalidDataModel(
        file: momd.path,
        message: FileManager.default.fileExists(atPath: momd.path)
          ? "there is no VersionInfo.plist in it" : "there is no such compiled model")
    }
    // Ours is binary; an old compiler's may be XML.
    let name: String?
    if data.starts(with: "bplist".utf8) {
      name =
        (try? BinaryPropertyListReader.read(Array(data)))?
        .dictionary?["NSManagedObjectModel_CurrentVersionName"]?.string
    } else {
      let plist = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
      name = plist?["NSManagedObjectModel_CurrentVersionName"] as? String
    }
    guard let name else {
      throw InvalidDataModel(
        file: file.path, message: "the file names no NSManagedObjectModel_CurrentVersionName")
    }
    return momd.appendingPathComponent(name + ".mom")
  }

  /// All versions of a `.momd`, or the one of a `.mom`.
  public static func package(at url: URL) throws -> DataModelPackage {
    let name = url.deletingPathExtension().lastPathComponent
    if url.pathExtension == "mom" {
      let (model, warnings) = try model(at: url)
      var package = DataModelPackage(name: name, versions: [model], currentVersionName: model.name)
      package.warnings = warnings
      return package
    }
    let current = try currentVersion(of: url).deletingPathExtension().lastPathComponent
    let files = try FileManager.default.contentsOfDirectory(atPath: url.path)
      .filter { $0.hasSuffix(".mom") }.sorted()
    var package = DataModelPackage(name: name, versions: [], currentVersionName: current)
    for file in files {
      let (model, warnings) = try model(at: url.appendingPathComponent(file))
      package.versions.append(model)
      package.warnings += warnings
    }
    guard package.versions.contains(where: { $0.name == current }) else {
      throw InvalidDataModel(file: url.path, message: "its current version \(current).mom is missing")
    }
    return package
  }

  /// The bytes of a version's `.mom`.
  public static func mom(_ model: DataModel) -> [UInt8] { ArchivedModelWriter.write(model) }

  /// The bytes of a `.momd`'s VersionInfo.plist: the current version's name, and each version's hashes.
  public static func versionInfo(_ package: DataModelPackage) -> [UInt8] {
    var hashes: [String: PropertyList] = [:]
    var checksums: [String: PropertyList] = [:]
    for version in package.versions {
      hashes[version.name] = .dictionary(version.entityVersionHashes().mapValues { .data($0) })
      checksums[version.name] = .string(version.versionChecksum())
    }
    return BinaryPropertyListWriter.write(
      .dictionary([
        "NSManagedObjectModel_CurrentVersionName": .string(package.currentVersionName),
        "NSManagedObjectModel_VersionHashes": .dictionary(hashes),
        "NSManagedObjectModel_VersionChecksums": .dictionary(checksums),
      ]))
  }

  /// Writes a `.momd`, emptied first so that versions that are no more vanish.
  public static func write(_ package: DataModelPackage, to momd: URL) throws {
    let files = FileManager.default
    if files.fileExists(atPath: momd.path) { try files.removeItem(at: momd) }
    try files.createDirectory(at: momd, withIntermediateDirectories: true)
    for version in package.versions {
      try Data(mom(version)).write(to: momd.appendingPathComponent(version.name + ".mom"))
    }
    try Data(versionInfo(package)).write(to: momd.appendingPathComponent("VersionInfo.plist"))
  }
}
