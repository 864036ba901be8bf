import Foundation

/// Reads and writes compiled models: a `.momd` folder with one `.mom` for each version, or a `.mom` alone.
public enum CompiledModelFiles {
  /// The model in the bytes of a `.mom`.
  ///
  /// - Parameters:
  ///   - file: the name that problems carry.
  ///   - isKept: whether a store keeps the model. Then names and counts that editors refuse are taken. Otherwise a
  ///     property's name that a member has is taken, too, with a warning.
  /// - Throws: `InvalidDataModel`.
  public static func model(
    mom bytes: [UInt8], name: String, file: String, isKept: Bool = false
  ) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    var reader = try ArchivedModelReader(bytes, file: file)
    let model = try reader.model(named: name)
    var validator = DataModelValidator(model: model, file: file, origin: isKept ? .store : .compiled)
    validator.validate()
    let errors = validator.problems.filter { $0.severity == .error }
    guard errors.isEmpty else { throw InvalidDataModel(problems: errors) }
    return (model, reader.warnings + validator.problems)
  }

  public static func model(at mom: URL) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    guard let data = try ModelFileContent.read(mom.path) else {
      let optimized = mom.deletingPathExtension().appendingPathExtension("omo").path
      throw InvalidDataModel(
        file: mom.path,
        message: FileManager.default.fileExists(atPath: optimized)
          ? "only the optimized form (.omo) of this compiled model is here, which can't be read"
          : "there is no such compiled model")
    }
    return try model(
      mom: data, name: mom.deletingPathExtension().lastPathComponent, file: mom.path)
  }

  /// The `.mom` of a `.momd`'s current version, as its VersionInfo.plist names it; the only version where it
  /// names none.
  public static func currentVersion(of momd: URL) throws -> URL {
    try currentVersion(of: momd, by: VersionInfo(momd: momd))
  }

  /// As `currentVersion(of:)`, where the VersionInfo.plist was read already.
  public static func currentVersion(of momd: URL, by info: VersionInfo) throws -> URL {
    guard let name = info.currentVersionName ?? (info.hashes.count == 1 ? info.hashes.keys.first : nil) else {
      throw InvalidDataModel(
        file: momd.appendingPathComponent("VersionInfo.plist").path,
        message: "the file names no NSManagedObjectModel_CurrentVersionName")
    }
    guard !name.contains("/"), !name.contains("\0") else {
      throw InvalidDataModel(
        file: momd.appendingPathComponent("VersionInfo.plist").path,
        message: "the current version \"\(name)\" is not the name of a file")
    }
    return momd.appendingPathComponent(name + ".mom")
  }

  /// The version hashes by entity that the VersionInfo.plist beside a `.mom` states for it; empty when it
  /// states none.
  public static func statedHashes(of mom: URL) -> [String: [UInt8]] {
    let info = try? VersionInfo(momd: mom.deletingLastPathComponent())
    return info?.hashes[mom.deletingPathExtension().lastPathComponent] ?? [:]
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

  /// Writes a `.momd`. It empties the folder first, so no removed version stays. A link to a folder stays a link.
  ///
  /// - Throws: `InvalidDataModel` if something other than a compiled model is there; that stays as it is.
  public static func write(_ package: DataModelPackage, to momd: URL) throws {
    let files = FileManager.default
    let momd = momd.resolvingSymlinksInPath()
    if files.fileExists(atPath: momd.path) {
      let names = try? files.contentsOfDirectory(atPath: momd.path)
      guard let names, names.allSatisfy({ $0.hasSuffix(".mom") || $0.hasSuffix(".omo") || $0 == "VersionInfo.plist" })
      else {
        throw InvalidDataModel(
          file: momd.path, message: "this is not a compiled model, so it was not replaced; move it away")
      }
      for name in names { unlink(momd.appendingPathComponent(name).path) }
    }
    try files.createDirectory(at: momd, withIntermediateDirectories: true)
    for version in package.versions {
      try Data(mom(version)).write(to: momd.appendingPathComponent(version.name + ".mom"))
    }
    try Data(VersionInfo(package).bytes).write(to: momd.appendingPathComponent("VersionInfo.plist"))
  }
}
