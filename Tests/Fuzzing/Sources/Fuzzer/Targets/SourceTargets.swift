import DataModelCompiler
import DataModelFiles

/// Swift sources with `@NSManaged`, as the build hands them to the model compiler.
struct ManagedSourceTarget: FuzzTarget {
  static let name = "managed-source"
  static let longest = 4096

  private let package = DataModelPackage(name: "Model", versions: [Fixture.values], currentVersionName: "Fixture")

  func run(_ input: [UInt8]) throws {
    let text = String(decoding: input, as: UTF8.self)
    let source = DataModelCompiler.SourceFile(path: "Book.swift", text: text)
    var compiler = DataModelCompiler(module: "App")
    compiler.dependencies = [("Other", [source])]
    let output = compiler.compile(models: [package], sources: [source])
    _ = output.files.reduce(0) { $0 + $1.text.utf8.count } + output.problems.reduce(0) { $0 + "\($1)".utf8.count }
  }
}
