import Foundation

/// Reads and writes mapping models: the editor's `.xcmappingmodel` folders, and compiled `.cdm` files.
public enum MappingModelFiles {
  /// Reads a mapping model from either kind of file, recognized by its extension. Also returns warnings.
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

  /// Reads a mapping model from the text of an `xcmapping.xml`.
  ///
  /// - Parameters:
  ///   - package: the folder of the file. Models that the file only refers to by path are looked for from here.
  ///   - file: the name of the file in problems.
  public static func model(
    source bytes: [UInt8], package: URL?, file: String
  ) throws -> (model: MappingModelFile, warnings: [DataModelProblem]) {
    var reader = try SourceMappingReader(bytes, package: package, file: file)
    let model = try reader.read()
    return (model, reader.warnings)
  }

  /// Reads a mapping model from the bytes of a `.cdm`.
  public static func model(cdm bytes: [UInt8], file: String) throws -> MappingModelFile {
    try ArchivedMappingReader(bytes, file: file).read()
  }

  /// Writes a mapping model as the bytes of a `.cdm`.
  public static func cdm(_ model: MappingModelFile) -> [UInt8] { ArchivedMappingWriter.write(model) }

  /// The bytes of a file of a mapping model, which must be a regular file of a size that models have.
  package static func bytes(of url: URL, _ what: String) throws -> [UInt8] {
    guard let data = try ModelFileContent.read(url.path) else {
      throw InvalidDataModel(file: url.path, message: "there is no such \(what)")
    }
    return data
  }
}
