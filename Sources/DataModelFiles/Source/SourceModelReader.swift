import Foundation

/// Reads data models as the editor writes them: `.xcdatamodeld` packages and single `.xcdatamodel` folders.
public enum SourceModelReader {
  /// The version in an `.xcdatamodel` folder.
  ///
  /// - Throws: `InvalidDataModel`, naming file, line, entity and property of everything that is wrong.
  public static func model(at folder: URL) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    let file = folder.appendingPathComponent("contents")
    guard FileManager.default.fileExists(atPath: file.path) else { return try modelBeforeContents(at: folder) }
    guard let bytes = try ModelFileContent.read(file.path) else {
      throw InvalidDataModel(file: file.path, message: "the file cannot be read: it is gone")
    }
    return try model(
      contents: bytes, name: folder.deletingPathExtension().lastPathComponent, file: file.path)
  }

  /// The version in a folder without `contents`: Xcode before its version 4 wrote `elements` and `layout`.
  private static func modelBeforeContents(
    at folder: URL
  ) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    let file = folder.appendingPathComponent("elements")
    guard let data = try ModelFileContent.read(file.path) else {
      throw InvalidDataModel(file: folder.path, message: "it has neither a file \"contents\" nor \"elements\"")
    }
    var reader = try ElementsReader(data, file: file.path)
    let model = reader.read(name: folder.deletingPathExtension().lastPathComponent)
    return try checked(model, reader.problems, file: file.path)
  }

  /// The version in the text of a `contents` file.
  ///
  /// - Parameters:
  ///   - name: the version's name.
  ///   - file: the name that problems carry.
  public static func model(
    contents bytes: [UInt8], name: String, file: String
  ) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    var reader = ContentsReader(file: file)
    let model = try reader.read(bytes, name: name)
    return try checked(model, reader.problems, file: file, lines: reader.lines)
  }

  /// The model with its warnings. Throws its errors.
  private static func checked(
    _ model: DataModel, _ found: [DataModelProblem], file: String, lines: DataModelLines = DataModelLines()
  ) throws -> (model: DataModel, warnings: [DataModelProblem]) {
    var problems = found
    // A file with malformed parts would only bring errors that follow from them.
    if !problems.contains(where: { $0.severity == .error }) {
      var validator = DataModelValidator(model: model, file: file, lines: lines, origin: .source)
      validator.validate()
      problems += validator.problems
    }
    let errors = problems.filter { $0.severity == .error }
    guard errors.isEmpty else { throw InvalidDataModel(problems: errors) }
    return (model, problems)
  }

  /// All versions of an `.xcdatamodeld`, or the one of an `.xcdatamodel`.
  public static func package(at url: URL) throws -> DataModelPackage {
    let name = url.deletingPathExtension().lastPathComponent
    if url.pathExtension == "xcdatamodel" {
      let (model, warnings) = try model(at: url)
      var package = DataModelPackage(name: name, versions: [model], currentVersionName: model.name)
      package.warnings = warnings
      return package
    }
    guard url.pathExtension == "xcdatamodeld" else {
      throw InvalidDataModel(file: url.path, message: "a data model ends in .xcdatamodeld or .xcdatamodel")
    }
    return try package(ofVersionsIn: url)
  }

  /// The current version of an `.xcdatamodeld`, or the one of an `.xcdatamodel`. What may be wrong with other versions
  /// does not matter.
  public static func currentVersion(at url: URL) throws -> DataModel {
    guard url.pathExtension == "xcdatamodeld" else { return try package(at: url).currentVersion }
    let folders = try versionFolders(in: url)
    let (current, _) = try currentVersion(of: url, among: folders.map { $0.deletingPathExtension().lastPathComponent })
    return try model(at: url.appendingPathComponent("\(current).xcdatamodel")).model
  }

  /// All versions in a folder, whatever its name ends in.
  public static func package(ofVersionsIn url: URL) throws -> DataModelPackage {
    let name = url.deletingPathExtension().lastPathComponent
    let folders = try versionFolders(in: url)
    var warnings: [DataModelProblem] = []
    let versions = try folders.map { folder in
      let (model, found) = try model(at: folder)
      warnings += found
      return model
    }
    let (current, doubt) = try currentVersion(of: url, among: versions.map(\.name))
    var package = DataModelPackage(name: name, versions: versions, currentVersionName: current)
    package.warnings = warnings + (doubt.map { [$0] } ?? [])
    return package
  }

  /// The `.xcdatamodel` folders of a package, in order of name.
  public static func versionFolders(in package: URL) throws -> [URL] {
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: package.path)
    } catch {
      throw InvalidDataModel(file: package.path, message: "there is no such data model")
    }
    let folders = names.filter { $0.hasSuffix(".xcdatamodel") }.sorted()
    guard !folders.isEmpty else {
      throw InvalidDataModel(file: package.path, message: "the package holds no .xcdatamodel")
    }
    return folders.map { package.appendingPathComponent($0) }
  }

  /// The current version, as `.xccurrentversion` names it. If nothing names it, it is the only version, or the one
  /// named like the package, or the last by name; with more than one version there is a warning.
  private static func currentVersion(
    of package: URL, among versions: [String]
  ) throws -> (name: String, doubt: DataModelProblem?) {
    let file = package.appendingPathComponent(".xccurrentversion")
    var named: String?
    if let data = try ModelFileContent.read(file.path) {
      guard let plist = try? PropertyListReader.read(data).dictionary else {
        throw InvalidDataModel(file: file.path, message: "the file is not a property list")
      }
      named = plist["_XCCurrentVersionName"]?.string
    }
    if let named {
      let name = named.hasSuffix(".xcdatamodel") ? String(named.dropLast(".xcdatamodel".count)) : named
      guard versions.contains(name) else {
        throw InvalidDataModel(
          file: file.path,
          message: "the current version \"\(named)\" is not in the package "
            + "(\(versions.joined(separator: ", ")))")
      }
      return (name, nil)
    }
    let ownName = package.deletingPathExtension().lastPathComponent
    let chosen = versions.contains(ownName) ? ownName : versions[versions.count - 1]
    guard versions.count > 1 else { return (chosen, nil) }
    let doubt = DataModelProblem(
      .warning, file: package.path,
      message: ".xccurrentversion does not say which of \(versions.count) versions is current; "
        + "\"\(chosen)\" is used")
    return (chosen, doubt)
  }
}
