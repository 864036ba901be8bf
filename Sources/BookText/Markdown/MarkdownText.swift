import Foundation

/// A text in Markdown, cut at its fenced blocks. What Markdown means besides is left to a renderer.
public struct MarkdownText: Sendable {
  public struct Line: Sendable {
    /// From 1.
    public let number: Int
    public let text: String
  }

  public struct Heading: Sendable {
    public let line: Int
    /// 1 for `#`.
    public let level: Int
    /// Without the sign; with its inline marks.
    public let text: String
    /// As code hosts make it: `#nothing-reaches-the-file-before-save`.
    public let anchor: String
  }

  public struct Link: Sendable {
    public let line: Int
    /// What stands in the parentheses, without a title.
    public let target: String
    public let isImage: Bool
  }

  public let lines: [String]
  public let blocks: [FencedBlock]
  /// A fence that is opened and never closed.
  public let openFence: Int?

  // What is read of the text, each once.
  let readProse = Once<[Line]>()
  let readRuns = Once<[ProseRun]>()
  let readLinks = Once<[Link]>()
  let readFoldedParts = Once<FoldedParts>()

  public init(_ text: String) {
    lines = text.components(separatedBy: "\n")
    (blocks, openFence) = FencedBlock.blocks(in: lines)
  }

  /// All lines outside of fenced blocks.
  public var proseLines: [Line] {
    readProse.value {
      var isInBlock = Set<Int>()
      for block in blocks { isInBlock.formUnion(block.lines) }
      return lines.indices.filter { !isInBlock.contains($0 + 1) }.map { Line(number: $0 + 1, text: lines[$0]) }
    }
  }

  public var headings: [Heading] {
    var taken: [String: Int] = [:]
    return proseLines.compactMap { line in
      let level = line.text.prefix { $0 == "#" }.count
      guard (1...6).contains(level), line.text.dropFirst(level).first == " " else { return nil }
      let text = line.text.dropFirst(level).trimmingCharacters(in: .whitespaces)
      var anchor = Self.anchor(of: text)
      let count = taken[anchor, default: 0]
      taken[anchor] = count + 1
      if count > 0 { anchor += "-\(count)" }
      return Heading(line: line.number, level: level, text: text, anchor: anchor)
    }
  }

  /// Lower case, blanks as hyphens, and of the rest only letters, digits, hyphens and underscores.
  public static func anchor(of heading: String) -> String {
    let linkless = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.1) }
    return String(
      linkless.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
      })
  }

  /// The links and images in the prose; what looks like one in `code` isn't one. A link's text may go on in the next
  /// line.
  public var links: [Link] {
    readLinks.value {
      proseRuns.flatMap { run in
        let text = Self.withoutCode(run.text)
        return text.matches(of: Patterns.target).map {
          Link(line: run.line(of: $0.range.lowerBound, in: text), target: String($0.2), isImage: !$0.1.isEmpty)
        }
      }
    }
  }

  static func withoutCode(_ text: String) -> String {
    text.replacing(Patterns.code) { "``" + $0.0.filter { $0 == "\n" } }
  }
}
