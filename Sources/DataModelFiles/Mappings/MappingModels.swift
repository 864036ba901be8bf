import Foundation

/// The two models that a mapping model is between, as its source names them.
struct MappingModels {
  let source: DataModel
  let destination: DataModel

  /// - Parameter package: the `.xcmappingmodel`, from which the models' paths are looked for.
  /// - Throws: `InvalidDataModel`.
  init(_ root: MappingObjects.Object, package: URL?, file: String) throws {
    source = try Self.model("source", root, package, file)
    destination = try Self.model("destination", root, package, file)
  }

  /// The archived model; where there is none, the one at the path.
  ///
  /// The archive takes precedence, as in Apple's compiler: once you change the model's own file, it is another version.
  private static func model(
    _ side: String, _ root: MappingObjects.Object, _ package: URL?, _ file: String
  ) throws -> DataModel {
    let path = root.text("\(side)modelpath")
    let name = path.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent } ?? side
    if let bytes = root.data("\(side)modeldata") {
      do {
        let model = try archivedModel(bytes, named: name, file: file)
        if let excess = model.excess() { throw InvalidDataModel(file: file, message: excess.description) }
        return model
      } catch let error as InvalidDataModel {
        throw InvalidDataModel(
          problems: error.problems.map { problem in
            var problem = problem
            problem.file = file
            problem.line = root.line
            problem.message = "the \(side) model in it can't be read: \(problem.message)"
            return problem
          })
      }
    }
    guard let path else {
      throw InvalidDataModel(
        file: file, line: root.line, message: "the mapping model has neither a \(side) model nor the path of one")
    }
    guard let package, let folder = find(path, from: package) else {
      throw InvalidDataModel(
        file: file, line: root.line,
        message: "the mapping model does not hold its \(side) model, and \"\(path)\" does not exist")
    }
    return try SourceModelReader.model(at: folder).model
  }

  private static func archivedModel(_ bytes: [UInt8], named name: String, file: String) throws -> DataModel {
    if let reader = EditorModelReader(bytes) { return try reader.model(named: name) }
    var reader = try ArchivedModelReader(bytes, file: file)
    return try reader.model(named: name)
  }

  /// The folder at a path that starts in one of the folders around the mapping model. The path begins where the
  /// editor's project was, so its first folders may be missing here.
  static func find(_ path: String, from package: URL) -> URL? {
    let components = path.split(separator: "/").map(String.init).filter { $0 != "." }
    for start in components.indices {
      let tail = components[start...].joined(separator: "/")
      var folder = package.standardizedFileURL.deletingLastPathComponent()
      for _ in 0..<12 {
        let url = folder.appendingPathComponent(tail)
        if FileManager.default.fileExists(atPath: url.path) { return url }
        if folder.path == "/" { break }
        folder.deleteLastPathComponent()
      }
    }
    return nil
  }
}
