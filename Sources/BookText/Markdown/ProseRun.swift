import Foundation

/// A piece of prose: a paragraph, a heading, a list item, or a table cell.
public struct ProseRun: Sendable {
  public enum Kind: Sendable {
    case heading, paragraph, item, cell
    /// A line with tags of HTML, such as a summary.
    case html
  }

  public let kind: Kind
  /// Whether it is quoted with `>`.
  public let isQuoted: Bool
  /// The lines, counted from 1.
  public fileprivate(set) var lines: ClosedRange<Int>
  /// The text without the signs at the beginnings of lines. Its lines are separated by line feeds.
  public fileprivate(set) var text: String

  /// Takes the place of a code span in `plain`.
  static let code: Character = "\u{FFFC}"

  /// The text as a reader sees it: links by their texts, no tags and marks, and one character for each code span. It
  /// has as many line feeds as `text`.
  public var plain: String {
    Self.plain(text.replacing(Patterns.codeSpan) { String(Self.code) + $0.0.filter { $0 == "\n" } })
  }

  /// The plain text on one line, with the code.
  public var plainWithCode: String { Self.plain(text.replacing("`", with: "")).replacing("\n", with: " ") }

  /// The sentences of `plainWithCode`.
  public var sentences: [String] { Sentences.sentences(of: plainWithCode).map(String.init) }

  private static func plain(_ text: String) -> String {
    text
      .replacing(Patterns.link) { $0.1 + $0.2.filter { $0 == "\n" } }
      .replacing(Patterns.tag) { $0.0.filter { $0 == "\n" } }
      .replacing(Patterns.emphasis, with: "")
  }

  /// The line of a position in `plain`.
  func line(of index: String.Index, in plain: String) -> Int {
    lines.lowerBound + plain[..<index].count { $0 == "\n" }
  }

  /// The number of words. A code span counts as one.
  public var wordCount: Int {
    plain.split(whereSeparator: \.isWhitespace).count { $0.contains { $0.isLetter || $0.isNumber || $0 == Self.code } }
  }
}

extension MarkdownText {
  /// All prose in order, without fenced code, indented code and comments.
  public var proseRuns: [ProseRun] {
    readRuns.value {
      var reader = ProseReader()
      for line in withoutComments(proseLines) {
        if isIndentedCode(line) { continue }
        reader.read(line)
      }
      return reader.runs
    }
  }

  /// Whether the line is code because it is indented by four blanks. Such code follows an empty line and is outside of
  /// lists, whose items continue on indented lines too.
  func isIndentedCode(_ line: Line) -> Bool {
    guard line.text.hasPrefix("    ") else { return false }
    var index = line.number - 2
    // Skips back over the other lines of the block.
    while index >= 0, lines[index].hasPrefix("    ") { index -= 1 }
    guard index >= 0, lines[index].isEmpty else { return false }
    while index >= 0, lines[index].isEmpty || lines[index].hasPrefix(" ") { index -= 1 }
    return index < 0 || lines[index].prefixMatch(of: #/[-*+] |[0-9]+[.)] /#) == nil
  }

  private func withoutComments(_ lines: [Line]) -> [Line] {
    var isInside = false
    return lines.map { line in
      guard isInside || line.text.contains("<!--") else { return line }
      var (rest, kept) = (line.text[...], "")
      while !rest.isEmpty {
        if isInside {
          guard let end = rest.firstRange(of: "-->") else { break }
          rest = rest[end.upperBound...]
          isInside = false
        } else if let start = rest.firstRange(of: "<!--") {
          kept += rest[..<start.lowerBound]
          rest = rest[start.upperBound...]
          isInside = true
        } else {
          kept += rest
          break
        }
      }
      return Line(number: line.number, text: kept)
    }
  }
}

/// Joins lines into runs.
private struct ProseReader {
  private(set) var runs: [ProseRun] = []
  /// Whether the next line can continue the last run.
  private var isOpen = false

  mutating func read(_ line: MarkdownText.Line) {
    var text = line.text.drop(while: \.isWhitespace)
    let isQuoted = text.hasPrefix(">")
    if isQuoted { text = text.drop { $0 == ">" || $0 == " " } }
    while text.last?.isWhitespace == true { text.removeLast() }

    if text.isEmpty {
      isOpen = false
    } else if let heading = text.prefixMatch(of: Patterns.headingSign) {
      add(.heading, text[heading.range.upperBound...], line, isQuoted)
      isOpen = false
    } else if text.hasPrefix("|") {
      for cell in Self.cells(of: text) { add(.cell, cell, line, isQuoted) }
      isOpen = false
    } else if let sign = text.prefixMatch(of: Patterns.listSign) {
      add(.item, text[sign.range.upperBound...], line, isQuoted)
    } else if text.prefixMatch(of: Patterns.block) != nil {
      add(.html, text, line, isQuoted)
      isOpen = false
    } else if isOpen, let last = runs.last, last.lines.upperBound == line.number - 1, last.isQuoted == isQuoted {
      runs[runs.count - 1].text += "\n" + text
      runs[runs.count - 1].lines = last.lines.lowerBound...line.number
    } else {
      add(.paragraph, text, line, isQuoted)
    }
  }

  private mutating func add(_ kind: ProseRun.Kind, _ text: Substring, _ line: MarkdownText.Line, _ isQuoted: Bool) {
    runs.append(ProseRun(kind: kind, isQuoted: isQuoted, lines: line.number...line.number, text: String(text)))
    isOpen = true
  }

  /// The cells of a table row that have content. A row of hyphens has none.
  private static func cells(of row: Substring) -> [Substring] {
    var cells: [Substring] = []
    var (start, isInCode, previous) = (row.startIndex, false, Character(" "))
    for index in row.indices {
      let character = row[index]
      if character == "`" { isInCode.toggle() }
      if character == "|", previous != "\\", !isInCode {
        cells.append(row[start..<index])
        start = row.index(after: index)
      }
      previous = character
    }
    cells.append(row[start...])
    return cells.filter { $0.contains { !$0.isWhitespace && $0 != "-" && $0 != ":" } }
  }
}
