import Foundation

/// Reads and writes mapping models: the editor's `.xcmappingmodel` folders, and compiled `.cdm` files.
public enum MappingModelFiles {
  /// The mapping model in a file of either kind, by its extension, with what is odd in it.
  ///
  /// - Throws: `InvalidDataModel`, naming file, line, entity mapping and property of what is wrong.
  public static func model(
    at url: URL
  ) throws -> (model: MappingModelFile, warnings: [DataModelProblem]) {
    switch url.pathExtension {
    case "cdm": return (try model(cdm: bytes(of: url, "compiled mapping model"), file: url.path), [])
    case "xcmappingmodel":
      let file = url.appendingPathComponent("xcmapping.xml")
      guard FileManager.default.fileExists(atPath: file.path) else {
        let exists = FileManager.default.fileExists(atPath: url.path)
        throw InvalidDataModel(
          file: url.path,
          message: exists ? "there is no file \"xcmapping.xml\" in it" : "there is no such mapping model")
      }
      return try model(source: bytes(of: file, "mapping model"), package: url, file: file.path)
    default:
      throw InvalidDataModel(file: url.path, message: "a mapping model ends in .xcmappingmodel or .cdm")
    }
  }

  /// The mapping model in the text of an `xcmapping.xml`.
  ///
  /// - Parameters:
  ///   - package: the folder that it is in, from which models are looked for that it only has the paths of.
  ///   - file: the name that problems carry.
  public static func model(
    source bytes: [UInt8], package: URL?, file: String
  ) throws -> (model: MappingModelFile, warnings: [DataModelProblem]) {
    var reader = try SourceMappingReader(bytes, package: package, file: file)
    let model = try reader.read()
    return (model, reader.warnings)
  }

  /// The mapping model in the bytes of a `.cdm`.
  public static func model(cdm bytes: [UInt8], file: String) throws -> MappingModelFile {
    try ArchivedMappingReader(bytes, file: file).read()
  }

  /// The bytes of a `.cdm`.
  public static func cdm(_ model: MappingModelFile) -> [UInt8] { ArchivedMappingWriter.write(model) }

  private static func bytes(of url: URL, _ what: String) throws -> [UInt8] {
    guard let data = try ModelFileContent.read(url.path) else {
      throw InvalidDataModel(file: url.path, message: "there is no such \(what)")
    }
    return data
  }
}
