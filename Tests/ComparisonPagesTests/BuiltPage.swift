import BookText
import Foundation
import Testing

@testable import BookPages
@testable import Comparison
@testable import ComparisonPages

/// The checkout that the tests are of.
let projectRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// A folder of pages that was written, and what can be asked of it.
final class BuiltPage {
  let folder: URL
  let files: [String: String]

  init(_ write: (URL) throws -> Void) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
    try write(folder)
    var files: [String: String] = [:]
    for file in try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap({ $0 as? String })
    where file.hasSuffix(".html") {
      files[file] = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
    }
    self.files = files
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var index: String { files["index.html"] ?? "" }

  /// The first tag that has no partner; nil if all have one.
  func unbalanced(_ html: String) -> String? {
    var open: [String] = []
    for case .tag(let tag) in HTMLPiece.pieces(of: html) where !tag.isVoid {
      if !tag.isEnd {
        open.append(tag.name)
      } else if open.popLast() != tag.name {
        return "</\(tag.name)>"
      }
    }
    return open.last.map { "<\($0)>" }
  }

  func values(of attribute: String, in html: String) throws -> [String] {
    html.matches(of: try Regex(" \(attribute)=\"([^\"]*)\"", as: (Substring, Substring).self)).map { String($0.1) }
  }

  /// Links whose file or id isn't there.
  func deadLinks() throws -> [String] {
    let ids = try files.mapValues { Set(try values(of: "id", in: $0)) }
    return try files.flatMap { file, html in
      try (values(of: "href", in: html) + values(of: "src", in: html)).compactMap { link -> String? in
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let beside = file.split(separator: "/").dropLast().map(String.init)
        var path = parts[0].isEmpty ? file : (beside + [parts[0]]).joined(separator: "/")
        if let up = path.range(of: "source/../") { path.removeSubrange(up) }
        guard FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path) else {
          return "\(file): \(link)"
        }
        guard parts.count == 2, let known = ids[path] else { return nil }
        return known.contains(parts[1]) ? nil : "\(file): \(link)"
      }
    }
  }

  /// What stands in cells, without tags.
  func cells(in html: String) -> [String] {
    html.matches(of: #/<(?:td|th)[^>]*>(.*?)<\/(?:td|th)>/#.dotMatchesNewlines()).map { String($0.1) }
  }
}
