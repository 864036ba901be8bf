import Foundation
import PackagePlugin

/// Compiles a target's data models, and generates the accessors of its `@NSManaged` declarations.
///
/// Models and mapping models (`.xcmappingmodel`) may be anywhere in the target's folder. List them under the target's
/// `exclude:`. A target without a model also gets accessors, because its entity classes may belong to a model built in
/// code. On Apple's platforms Xcode does all this, and the plugin does nothing.
@main
struct CompileDataModel: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) async throws -> [Command] {
    #if os(Linux)
    guard let target = target.sourceModule else { return [] }
    let models = Self.folders(in: target.directoryURL, ["xcdatamodeld", "xcdatamodel"])
    let mappings = Self.folders(in: target.directoryURL, ["xcmappingmodel"])
    let sources = target.sourceFiles(withSuffix: ".swift").map(\.url)
    let dependencies = Self.dependencySources(of: target)
    let output = context.pluginWorkDirectoryURL.appending(path: "DataModel")

    var arguments = ["compile"] + (models + mappings).map(\.path)
    arguments += ["--module", target.moduleName, "--output", output.path]
    arguments += ["--sources"] + sources.map(\.path)
    if !dependencies.isEmpty {
      arguments += ["--dependencies"] + dependencies.map { "\($0.module)=\($0.file.path)" }
    }
    let names = models.map { $0.deletingPathExtension().lastPathComponent }
    let outputs =
      names.map { "\($0)+CoreDataModel.generated.swift" }
      + ["\(target.moduleName)+ManagedAccessors.generated.swift"] + names.map { "\($0).momd" }
      + mappings.map { "\($0.deletingPathExtension().lastPathComponent).cdm" }
    return [
      .buildCommand(
        displayName: "Compile the data model of \(target.name)",
        executable: try context.tool(named: "momc").url,
        arguments: arguments,
        inputFiles: (models + mappings).flatMap(Self.files(of:)) + sources + dependencies.map(\.file),
        outputFiles: outputs.map { output.appending(path: $0) })
    ]
    #else
    return []
    #endif
  }

  /// The folders with these extensions in a folder, but not those inside each other.
  private static func folders(in folder: URL, _ types: Set<String>) -> [URL] {
    let keys: [URLResourceKey] = [.isDirectoryKey]
    let entries =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: keys)) ?? []
    return entries.sorted { $0.path < $1.path }.flatMap { entry -> [URL] in
      guard (try? entry.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true,
        !entry.lastPathComponent.hasPrefix(".")
      else { return [] }
      return types.contains(entry.pathExtension) ? [entry] : folders(in: entry, types)
    }
  }

  /// The files in a model. Each is an input of its own, because the date of a folder doesn't change with its content.
  private static func files(of model: URL) -> [URL] {
    let all = FileManager.default.enumerator(atPath: model.path)?.compactMap { $0 as? String } ?? []
    return all.sorted().filter { name in
      ["contents", "elements", ".xccurrentversion", "xcmapping.xml"].contains { name.hasSuffix($0) }
    }.map { model.appending(path: $0) }
  }

  /// The sources of other modules that the target uses, from this package and others. Entity classes may name their
  /// types. The stack itself is known already.
  private static func dependencySources(of target: any SourceModuleTarget) -> [(module: String, file: URL)] {
    target.recursiveTargetDependencies
      .compactMap { $0 as? SwiftSourceModuleTarget }
      .filter { $0.kind == .generic && !["CoreData", "DataModelFiles"].contains($0.moduleName) }
      .flatMap { dependency in
        dependency.sourceFiles(withSuffix: ".swift").map { (dependency.moduleName, $0.url) }
      }
  }
}
