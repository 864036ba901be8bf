import ArgumentParser
import DataModelCompiler
import DataModelFiles
import Foundation

struct Generate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Prints the Swift that is generated for a model's entities, or writes it to files.",
    discussion: """
      A build generates the classes of entities whose code generation is Class Definition or Category/Extension, and \
      you never see them. This prints them. For entities with Manual/None, --as class gives you files to start \
      from; they are yours from then on.
      """)

  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case `class`, category
  }

  @Argument(help: "A .xcdatamodeld or .xcdatamodel.")
  var model: String

  @Option(help: ArgumentHelp("Only this entity; may be repeated.", valueName: "name"))
  var entity: [String] = []

  @Option(
    name: .customLong("as"), help: "Generate all entities as this, instead of what the model says: class or category.")
  var kind: Kind?

  @Option(help: "The Swift module that the classes belong to.")
  var module = "App"

  @Option(help: "Write the files into this folder instead of printing them; existing files stay unchanged.")
  var output: String?

  func validate() throws { try checkModule(module) }

  func run() throws {
    let version: DataModel
    do {
      version = try SourceModelReader.package(at: URL(fileURLWithPath: model)).currentVersion
    } catch let error as InvalidDataModel {
      FileHandle.standardError.write(Data((error.description + "\n").utf8))
      throw ExitCode.failure
    }
    for name in entity where version.entity(named: name) == nil {
      let names = version.entities.map(\.name).sorted().joined(separator: ", ")
      throw ValidationError("the model has no entity \"\(name)\"; it has \(names)")
    }
    let generation: DataModel.CodeGeneration? = kind.map { $0 == .class ? .classDefinition : .categoryExtension }
    let files = DataModelCompiler(module: module).generatedFiles(of: version, codeGeneration: generation)
      .filter { entity.isEmpty || entity.contains($0.entity) }
    if files.isEmpty {
      print("A build generates nothing for these entities. Add --as class to see what it would generate.")
    }
    guard let output else {
      print(files.map(\.text).joined(separator: "\n"), terminator: "")
      return
    }
    let folder = URL(fileURLWithPath: output, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files {
      let url = folder.appendingPathComponent(file.name)
      guard !FileManager.default.fileExists(atPath: url.path) else {
        print("\(url.path) already exists, and was left unchanged")
        continue
      }
      try Data(file.text.utf8).write(to: url)
      print("Wrote \(url.path)")
    }
  }
}
