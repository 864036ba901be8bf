import Foundation

/// A Markdown text, split at its fenced blocks. A renderer interprets the rest.
public struct MarkdownText: Sendable {
  public struct Line: Sendable {
    /// The line number, counted from 1.
    public let number: Int
    public let text: String
  }

  public struct Heading: Sendable {
    public let line: Int
    /// The level: 1 for `#`.
    public let level: Int
    /// The text without `#`, but with its inline marks.
    public let text: String
    /// The anchor that code hosts make: `nothing-reaches-the-file-before-save`.
    public let anchor: String
  }

  public struct Link: Sendable {
    public let line: Int
    /// The target in the parentheses, without a title.
    public let target: String
    public let isImage: Bool
  }

  public let lines: [String]
  public let blocks: [FencedBlock]
  /// The line of a fence that is never closed; nil if there is none.
  public let openFence: Int?

  // Results of reading the text, each computed once.
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

  /// Lower case, with hyphens for blanks. Other characters than letters, digits, hyphens and underscores are dropped.
  public static func anchor(of heading: String) -> String {
    let linkless = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { String($0.1) }
    return String(
      linkless.lowercased().compactMap { character -> Character? in
        if character == " " { return "-" }
        return character.isLetter || character.isNumber || character == "-" || character == "_" ? character : nil
      })
  }

  /// The links and images in the prose, but not in inline `code`. A link's text may continue on the next line.
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
