import Foundation

/// Lines for a terminal, at most 80 columns wide except for longer paths and words.
package struct Screen: Sendable {
  package static let width = 80

  package enum Tone: String, Sendable {
    case plain = ""
    case strong = "1"
    case good = "32"
    case bad = "31"
    case faint = "2"
  }

  /// Whether to show tones as colours.
  package let hasColours: Bool
  package private(set) var lines: [String] = []

  package init(hasColours: Bool = false) { self.hasColours = hasColours }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  package mutating func blank() { if lines.last != "" { lines.append("") } }

  /// Adds a paragraph and wraps it. `indent` is the number of blanks before each line, `hanging` the number of
  /// additional blanks from the second line on.
  package mutating func say(_ text: String, _ tone: Tone = .plain, indent: Int = 0, hanging: Int = 0) {
    for line in Self.wrapped(text, indent: indent, hanging: hanging) { lines.append(toned(line, tone)) }
  }

  /// Adds a field: `Goal    a sentence that continues below its beginning`.
  package mutating func field(_ name: String, _ text: String, indent: Int = 0) {
    let column = indent + 10
    var wrapped = Self.wrapped(text, indent: column, hanging: 0)
    let label = String(repeating: " ", count: indent) + name
    wrapped[0] = label + String(repeating: " ", count: max(1, column - label.count)) + wrapped[0].drop { $0 == " " }
    lines += wrapped
  }

  /// Adds a field whose text stays in one piece, to be copied or clicked.
  package mutating func path(_ name: String, _ path: String, indent: Int = 0) {
    let label = String(repeating: " ", count: indent) + name
    lines.append(label + String(repeating: " ", count: max(1, indent + 10 - label.count)) + path)
  }

  /// Adds lines unchanged, except that lines too long for the page are wrapped between words.
  package mutating func verbatim(_ source: [String], indent: Int) {
    let margin = String(repeating: " ", count: indent)
    for line in source {
      lines +=
        indent + line.count <= Self.width
        ? [line.isEmpty ? "" : margin + line] : Self.wrapped(line, indent: indent, hanging: 2)
    }
  }

  /// Adds lines of code. They are never wrapped, because they may be copied.
  package mutating func code(_ source: [String], _ tone: Tone = .plain, indent: Int = 0) {
    for line in source { lines.append(line.isEmpty ? "" : toned(String(repeating: " ", count: indent) + line, tone)) }
  }

  /// Adds paragraphs, each wrapped once, however its source is wrapped, and code between fences as it is. Ends with a
  /// blank line.
  package mutating func markdown(_ source: String, indent: Int) {
    var paragraph: [String] = []
    var isCode = false
    for line in source.components(separatedBy: "\n") + [""] {
      let isFence = line.hasPrefix("```")
      if !line.isEmpty && !isFence && !isCode {
        paragraph.append(line)
        continue
      }
      if !paragraph.isEmpty { say(paragraph.joined(separator: " "), indent: indent) }
      paragraph = []
      if isFence {
        isCode.toggle()
      } else if isCode {
        code([line], indent: indent + 2)
      } else {
        blank()
      }
    }
  }

  package mutating func append(_ other: Screen) { lines += other.lines }

  private func toned(_ line: String, _ tone: Tone) -> String {
    hasColours && tone != .plain ? "\u{1B}[\(tone.rawValue)m\(line)\u{1B}[0m" : line
  }

  // MARK: Wrapping

  package static func wrapped(_ text: String, indent: Int, hanging: Int) -> [String] {
    var result: [String] = []
    for part in text.components(separatedBy: "\n") {
      var line = ""
      for word in part.split(separator: " ").map(String.init) {
        let room = width - indent - (result.isEmpty ? 0 : hanging)
        if line.isEmpty {
          line = word
        } else if line.count + 1 + word.count <= room {
          line += " " + word
        } else {
          result.append(margin(result.isEmpty, indent, hanging) + line)
          line = word
        }
      }
      result.append(margin(result.isEmpty, indent, hanging) + line)
    }
    return result
  }

  private static func margin(_ isFirst: Bool, _ indent: Int, _ hanging: Int) -> String {
    String(repeating: " ", count: indent + (isFirst ? 0 : hanging))
  }

  /// The line in at most `columns` columns. A longer line is cut and ends in "…".
  package static func cut(_ line: String, to columns: Int) -> String {
    line.count <= columns ? line : line.prefix(columns - 1) + "…"
  }

  /// A progress bar: `[#####-----] 5 of 42`.
  package static func bar(_ done: Int, of count: Int) -> String {
    let length = 40
    // The last sign is set only with the last exercise.
    let filled = count == 0 ? length : done * length / count
    return "[" + String(repeating: "#", count: filled) + String(repeating: "-", count: length - filled)
      + "] \(done) of \(count)"
  }
}
