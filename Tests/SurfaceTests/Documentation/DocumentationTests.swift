import Foundation
import Testing

/// An example in the documentation of something public is code that compiles: it stands in Examples.swift, too, or
/// `Scripts/check-examples` names its declaration, and compiles and runs it.
@Suite("Examples in the documentation") struct DocumentationTests {
  @Test("Each example is compiled as it stands") func examples() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let compiled = Self.words(try Self.lines(of: folder.appendingPathComponent("Examples.swift")))
    let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let module = root.appendingPathComponent("Sources/CoreData")
    let run = try Self.runDeclarations(in: root)
    var found = run.count
    for file in try #require(FileManager.default.enumerator(at: module, includingPropertiesForKeys: nil)) {
      guard let file = file as? URL, file.pathExtension == "swift" else { continue }
      let place = file.deletingPathExtension().path.dropFirst(module.path.count + 1)
      for example in Self.examples(in: try Self.lines(of: file), run[String(place)]) {
        found += 1
        let isCompiled = compiled.contains(example)
        #expect(isCompiled, "\(file.lastPathComponent): Examples.swift lacks \(example)")
      }
    }
    #expect(run.count == 25 && found > run.count)
  }

  @Test("An example that differs in one word is found") func planted() {
    let lines = [
      "/// Says it.", "///", "///     say(it)", "///     say(that)", "///", "/// Twice.", "public func say() {",
    ]
    #expect(Self.examples(in: lines) == ["say(it) say(that)"])
    #expect(Self.examples(in: lines.dropLast() + ["func say() {"]) == [])
    #expect(Self.examples(in: lines, "func say()") == [])
  }

  /// By file, the declaration whose example `Scripts/check-examples` runs.
  private static func runDeclarations(in root: URL) throws -> [String: String] {
    var declarations: [String: String] = [:]
    for line in try lines(of: root.appendingPathComponent("Scripts/check-examples")) {
      if let named = line.wholeMatch(of: #/([A-Za-z]+\/[A-Za-z\/+]+)\|(.+)/#) {
        declarations[String(named.1)] = String(named.2)
      }
    }
    return declarations
  }

  private static func lines(of file: URL) throws -> [String] {
    try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
  }

  /// The words of some lines: comments behind a line stand in a column in a text, and two blanks behind it in code.
  private static func words(_ lines: [String]) -> String {
    lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }.joined(separator: " ")
  }

  /// The indented parts of comments on public declarations, as words. An empty line parts two of them.
  ///
  /// - Parameter run: Part of the line of a declaration that is passed over.
  private static func examples(in lines: [String], _ run: String? = nil) -> [String] {
    var (examples, comment): ([String], [[String]]) = ([], [])
    var isInside = false
    for line in lines.map({ $0.trimmingCharacters(in: .whitespaces) }) {
      if line.hasPrefix("///     "), isInside || comment.last == [] {
        isInside = true
        comment[comment.count - 1].append(line.dropFirst(8).trimmingCharacters(in: .whitespaces))
      } else if line == "///" {
        isInside = false
        comment.append([])
      } else if line.hasPrefix("///") {
        isInside = false
        comment.append(["-"])
      } else if !line.hasPrefix("//"), !line.hasPrefix("@") {
        let isPublic = line.contains(#/\b(public|open)\b/#) && !(run.map(line.contains) ?? false)
        if isPublic { examples += comment.filter { $0 != [] && $0 != ["-"] }.map(words) }
        (comment, isInside) = ([], false)
      }
    }
    return examples
  }
}
