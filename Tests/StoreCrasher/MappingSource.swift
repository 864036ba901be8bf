import DataModelFiles
import Foundation

/// An `xcmapping.xml` that has its models in it, as the editor writes them, not only their paths.
enum MappingSource {
  static func text(_ package: URL) throws -> Data {
    var text = String(decoding: try Data(contentsOf: package.appendingPathComponent("xcmapping.xml")), as: UTF8.self)
    let folder = package.deletingLastPathComponent()
    for side in ["source", "destination"] {
      let start = "<attribute name=\"\(side)modelpath\" type=\"string\">"
      guard let before = text.range(of: start), let end = text.range(of: "<", range: before.upperBound..<text.endIndex)
      else { continue }
      let path = text[before.upperBound..<end.lowerBound].split(separator: "/").dropFirst().joined(separator: "/")
      let model = try SourceModelReader.model(at: folder.appendingPathComponent(path)).model
      let archive = Data(CompiledModelFiles.mom(model)).base64EncodedString()
      text.insert(
        contentsOf: "<attribute name=\"\(side)modeldata\" type=\"binary\">\(archive)</attribute>\n        ",
        at: before.lowerBound)
    }
    return Data(text.utf8)
  }
}
