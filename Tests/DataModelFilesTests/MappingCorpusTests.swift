import DataModelFiles
import Foundation
import TestFiles
import Testing

/// Mapping models of public projects.
@Suite("Mapping models of other people's projects", .enabled(if: Corpus.root != nil))
struct MappingCorpusTests {
  static let files = Corpus.files(in: "mappings", extension: "xcmappingmodel")

  private func model(_ url: URL) throws -> MappingModelFile { try MappingModelFiles.model(at: url).model }

  /// The version of the same project's model that a path in a mapping model names.
  private func version(_ path: String, of project: String) throws -> DataModel? {
    let folders = Corpus.files(in: "models/\(project)", extension: "xcdatamodel")
    let tail = path.split(separator: "/").suffix(2).joined(separator: "/")
    guard let folder = folders.first(where: { $0.path.hasSuffix("/" + tail) }) else { return nil }
    return try SourceModelReader.model(at: folder).model
  }

  @Test("Each is read, and its compiled form reads back the same", arguments: files)
  func roundTrip(url: URL) throws {
    let model = try model(url)
    #expect(!model.entityMappings.isEmpty)
    #expect(try MappingModelFiles.model(cdm: MappingModelFiles.cdm(model), file: "M.cdm") == model)
    for mapping in model.entityMappings {
      #expect(mapping.type != .undefined)
      #expect((mapping.sourceName == nil) == (mapping.sourceHash == nil))
      #expect((mapping.destinationName == nil) == (mapping.destinationHash == nil))
    }
  }

  @Test("The models archived in each have the version hashes of the project's models", arguments: files)
  func hashes(url: URL) throws {
    let text = try String(contentsOf: url.appendingPathComponent("xcmapping.xml"), encoding: .utf8)
    let project = url.path.components(separatedBy: "/mappings/")[1].split(separator: "/")[0]
    let model = try model(url)
    var compared = 0
    for side in ["source", "destination"] {
      let path = try #require(
        text.firstMatch(of: try Regex("name=\"\(side)modelpath\"[^>]*>([^<]*)<"))?.output[1].substring)
      guard let version = try version(String(path), of: String(project)) else { continue }
      let hashes = version.entityVersionHashes()
      for mapping in model.entityMappings {
        let (name, hash) =
          side == "source"
          ? (mapping.sourceName, mapping.sourceHash) : (mapping.destinationName, mapping.destinationHash)
        guard let name else { continue }
        #expect(hashes[name] == hash, "\(url.lastPathComponent): \(name) of the \(side)")
        compared += 1
      }
    }
    print("\(url.lastPathComponent): \(compared) hashes compared")
  }
}
