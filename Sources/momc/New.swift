import ArgumentParser
import DataModelCompiler
import DataModelFiles
import Foundation

struct New: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a new model that compiles: NAME.xcdatamodeld, with one version.",
    discussion: """
      momc new Sources/App/Model \\
        --entity Book title:String pages:Int16 'read:Date?' 'author:Author?' \\
        --entity Author name:String 'books:[Book]'

      Types are String, Int16, Int32, Int64, Double, Float, Bool, Decimal, Date, Data, UUID and URL; with ? the value is \
      optional. An entity's name makes a relationship to one object, [Book] one to many. Two relationships between the \
      same two entities become each other's inverses; if there are more, name the inverse: books:[Book]/author. The build \
      generates the classes from the model.

      An existing model is never overwritten.
      """)

  @Argument(help: "The model's name, with a path: Sources/App/Model.")
  var model: String

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp("An entity and its properties, name:Type; may be repeated.", valueName: "name property"))
  var entity: [String] = []

  @Flag(name: .customLong("print"), help: "Print the model's contents instead of writing a file.")
  var printsOnly = false

  func run() throws {
    let contents: String
    do {
      contents = try NewModel(entity).contents
      _ = try SourceModelReader.model(contents: Array(contents.utf8), name: "contents", file: "contents")
    } catch let fault as NewModel.Fault {
      throw ValidationError(fault.description)
    } catch let error as InvalidDataModel {
      throw ValidationError(error.problems.map(\.message).joined(separator: "; "))
    }
    if printsOnly {
      print(contents, terminator: contents.hasSuffix("\n") ? "" : "\n")
      return
    }
    var url = URL(fileURLWithPath: model)
    if url.pathExtension == "xcdatamodeld" { url.deletePathExtension() }
    let name = url.lastPathComponent
    url.appendPathExtension("xcdatamodeld")
    guard !FileManager.default.fileExists(atPath: url.path) else {
      throw ValidationError("\(url.path) already exists, and was left unchanged")
    }
    let version = url.appendingPathComponent("\(name).xcdatamodel", isDirectory: true)
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
    print("Wrote \(version.appendingPathComponent("contents").path)")
    print("In Package.swift the target needs exclude: [\"\(name).xcdatamodeld\"] and the plugin CompileDataModel.")
  }
}
