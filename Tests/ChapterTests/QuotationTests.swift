import Foundation
import Testing

@Suite("The code in the chapters' texts")
struct QuotationTests {
  @Test("Each block is the region of the file that it names", arguments: TranscriptTests.chapters)
  func quoted(chapter: String) throws {
    let text = try text("Chapters/\(chapter)/README.md")
    let blocks = text.components(separatedBy: "```swift file=").dropFirst()
    #expect(!blocks.isEmpty)
    for block in blocks {
      let parts = block.split(separator: "\n", maxSplits: 1).map(String.init)
      let names = parts[0].components(separatedBy: " region=")
      try #require(names.count == 2, "\(parts[0])")
      let shown = parts[1].components(separatedBy: "\n```")[0]
      #expect(try region(names[1], of: self.text(names[0])) == shown, "\(parts[0])")
    }
  }

  @Test("Each region is shown", arguments: TranscriptTests.chapters)
  func shown(chapter: String) throws {
    let text = try text("Chapters/\(chapter)/README.md")
    let folder = "Chapters/\(chapter)"
    let files = try #require(
      FileManager.default.enumerator(atPath: packageRoot.appendingPathComponent(folder).path))
    for case let file as String in files where file.hasSuffix(".swift") {
      for line in try self.text("\(folder)/\(file)").components(separatedBy: "\n") {
        guard let name = mark("//> ", line) else { continue }
        #expect(text.contains("```swift file=\(folder)/\(file) region=\(name)\n"), "\(file): \(name)")
      }
    }
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOf: packageRoot.appendingPathComponent(path), encoding: .utf8)
  }

  private func mark(_ sign: String, _ line: String) -> String? {
    let line = line.trimmingCharacters(in: .whitespaces)
    return line.hasPrefix(sign) ? String(line.dropFirst(sign.count)) : nil
  }

  /// The lines between the marks, without those of other regions, as far to the left as they go.
  private func region(_ name: String, of source: String) throws -> String {
    let lines = source.components(separatedBy: "\n")
    let start = try #require(lines.firstIndex { mark("//> ", $0) == name }, "no region \(name)")
    let end = try #require(lines.firstIndex { mark("//< ", $0) == name }, "region \(name) does not end")
    let inside = lines[(start + 1)..<end].filter { mark("//> ", $0) == nil && mark("//< ", $0) == nil }
    let indents = inside.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
    return inside.map { String($0.dropFirst(indents.min() ?? 0)) }.joined(separator: "\n")
  }
}
