import Foundation

/// A piece of prose that is read in one go: a paragraph, a heading, an item of a list, a cell of a table.
public struct ProseRun: Sendable {
  public enum Kind: Sendable {
    case heading, paragraph, item, cell
    /// A line with tags of HTML, such as a summary.
    case html
  }

  public let kind: Kind
  /// Whether it stands behind `>`.
  public let isQuoted: Bool
  /// Numbered from 1.
  public fileprivate(set) var lines: ClosedRange<Int>
  /// As the text has it, without the signs at the beginnings of lines; between lines stands a line feed.
  public fileprivate(set) var text: String

  /// Stands for a span of code in `plain`.
  static let code: Character = "\u{FFFC}"

  /// What a reader reads: links by their texts, without tags and marks, and one sign for each span of code. It has as
  /// many line feeds as `text`.
  public var plain: String {
    Self.plain(text.replacing(Patterns.codeSpan) { String(Self.code) + $0.0.filter { $0 == "\n" } })
  }

  /// The same in one line, with the code.
  public var plainWithCode: String { Self.plain(text.replacing("`", with: "")).replacing("\n", with: " ") }

  /// The sentences of `plainWithCode`.
  public var sentences: [String] { Sentences.sentences(of: plainWithCode).map(String.init) }

  private static func plain(_ text: String) -> String {
    text
      .replacing(Patterns.link) { $0.1 + $0.2.filter { $0 == "\n" } }
      .replacing(Patterns.tag) { $0.0.filter { $0 == "\n" } }
      .replacing(Patterns.emphasis, with: "")
  }

  /// The line of a place in `plain`.
  func line(of index: String.Index, in plain: String) -> Int {
    lines.lowerBound + plain[..<index].count { $0 == "\n" }
  }

  /// How many words it has, a span of code counted as one.
  public var wordCount: Int {
    plain.split(whereSeparator: \.isWhitespace).count { $0.contains { $0.isLetter || $0.isNumber || $0 == Self.code } }
  }
}

extension MarkdownText {
  /// All prose in order. Code, be it fenced or indented, and comments are left out.
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

  /// Whether the line is code by its four blanks. Lists continue with indented lines too; code stands behind an empty
  /// line and outside of lists.
  func isIndentedCode(_ line: Line) -> Bool {
    guard line.text.hasPrefix("    ") else { return false }
    var index = line.number - 2
    // The lines of a block of code stand together.
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

/// Puts lines together to runs.
private struct ProseReader {
  private(set) var runs: [ProseRun] = []
  /// Whether the next line can belong to the last run.
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

  /// The cells of a table's row that have something in them; a row of hyphens has none.
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
