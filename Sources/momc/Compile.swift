import ArgumentParser
import DataModelCompiler
import DataModelFiles
import Foundation

struct Compile: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Compiles a module's models and mapping models, and writes its generated classes and accessors.",
    discussion: """
      For each model: NAME.momd, with a .mom for each version and VersionInfo.plist, and \
      NAME+CoreDataModel.generated.swift with the classes of entities whose code generation is Class \
      Definition or Category/Extension. For the module: MODULE+ManagedAccessors.generated.swift with the \
      accessors of every @NSManaged property and function, in generated and in your own sources. For each \
      mapping model: NAME.cdm.

      Problems are printed as FILE:LINE: error: ENTITY.PROPERTY: WHAT. A broken model writes nothing and \
      ends with exit code 1.
      """)

  @Argument(help: "Models to compile: .xcdatamodeld or .xcdatamodel folders; and .xcmappingmodel folders.")
  var models: [String] = []

  @Option(help: "The Swift module that the classes belong to.")
  var module: String

  @Option(help: "The folder to write to; created if it does not exist.")
  var output: String

  @Option(parsing: .upToNextOption, help: "The module's Swift files.")
  var sources: [String] = []

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("Swift files of other modules, whose types the classes use.", valueName: "module=file")
  )
  var dependencies: [String] = []

  func validate() throws { try checkModule(module) }

  func run() throws {
    var compiler = DataModelCompiler(module: module)
    compiler.dependencies = try dependencyFiles()
    let urls = models.map { URL(fileURLWithPath: $0) }
    func isMapping(_ url: URL) -> Bool { url.pathExtension == "xcmappingmodel" }
    let packages: [DataModelPackage]
    let mappings: [(name: String, model: MappingModelFile, warnings: [DataModelProblem])]
    do {
      packages = try urls.filter { !isMapping($0) }.map { try SourceModelReader.package(at: $0) }
      mappings = try urls.filter(isMapping).map { url in
        let (model, warnings) = try MappingModelFiles.model(at: url)
        return (url.deletingPathExtension().lastPathComponent, model, warnings)
      }
    } catch let error as InvalidDataModel {
      for problem in error.problems { Self.print(shown(problem.description)) }
      throw ExitCode.failure
    }
    for problem in packages.flatMap(\.warnings) + mappings.flatMap(\.warnings) {
      Self.print(shown(problem.description))
    }

    let result = compiler.compile(models: packages, sources: try sources.map(Self.source))
    for problem in result.problems { Self.print(shown(problem.description)) }
    if result.problems.contains(where: \.isError) { throw ExitCode.failure }

    let folder = URL(fileURLWithPath: output, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in result.files {
      try Self.write(file.text, to: folder.appendingPathComponent(file.name))
    }
    for package in result.models {
      try CompiledModelFiles.write(package, to: folder.appendingPathComponent(package.name + ".momd"))
    }
    for mapping in mappings {
      let file = folder.appendingPathComponent(mapping.name + ".cdm")
      try Data(MappingModelFiles.cdm(mapping.model)).write(to: file)
    }
  }

  /// If a model was named relative to the current folder, messages name it that way too.
  private func shown(_ text: String) -> String {
    let folder = FileManager.default.currentDirectoryPath + "/"
    guard text.hasPrefix(folder), !models.contains(where: { $0.hasPrefix("/") }) else { return text }
    return String(text.dropFirst(folder.count))
  }

  private func dependencyFiles() throws -> [(module: String, files: [DataModelCompiler.SourceFile])] {
    var files: [String: [DataModelCompiler.SourceFile]] = [:]
    for dependency in dependencies {
      let parts = dependency.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2 else {
        throw ValidationError("--dependencies takes MODULE=FILE, not \"\(dependency)\"")
      }
      files[parts[0], default: []].append(try Self.source(parts[1]))
    }
    return files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func source(_ path: String) throws -> DataModelCompiler.SourceFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw ValidationError("\(path) cannot be read")
    }
    return DataModelCompiler.SourceFile(path: path, text: String(decoding: data, as: UTF8.self))
  }

  /// Writes a file only if its text changes, so that nothing is compiled without need.
  private static func write(_ text: String, to url: URL) throws {
    let data = Data(text.utf8)
    if FileManager.default.contents(atPath: url.path) == data { return }
    try data.write(to: url)
  }

  private static func print(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
