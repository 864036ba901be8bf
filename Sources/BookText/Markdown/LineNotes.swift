import Foundation

/// Short numbered notes on lines of the code block directly above. Each begins with code from its line:
///
///     <!-- notes -->
///     1. `.mainQueue`: everything that this context owns belongs to the main thread.
///     2. `save()`: throws before it has written anything.
///
/// Other renderers of Markdown show a list below the block. The built pages put each note beside its line.
public struct LineNotes: Sendable {
  public static let mostWords = 30
  public static let mostNotes = 5

  public struct Note: Sendable {
    /// The line in the text, counted from 1.
    public let line: Int
    public let number: Int
    /// Code from the line that the note is about; empty if the note doesn't begin with code.
    public let code: String
    public let wordCount: Int
  }

  /// The lines from the comment to the last note.
  public let lines: ClosedRange<Int>
  public let notes: [Note]
  /// The index of the block that the notes are about; nil if there is none directly above.
  public let block: Int?

  /// The line of code that each note is about: the first line with its code after the previous note's line.
  ///
  /// - Returns: indices of `code`; nil for a note without a line.
  public func places(in code: [String]) -> [Int?] {
    var next = 0
    return notes.map { note in
      guard !note.code.isEmpty, let place = code[next...].firstIndex(where: { $0.contains(note.code) }) else {
        return nil
      }
      next = place + 1
      return place
    }
  }

  /// The problems of the notes, with the lines to fix.
  func problems(_ block: FencedBlock?) -> [(line: Int, sentence: String)] {
    let first = lines.lowerBound
    guard let block else { return [(first, "these notes stand below no block of code")] }
    guard !notes.isEmpty else { return [(first, "no note follows; write \"1. `code`: what to know about its line\"")] }
    guard notes.count <= Self.mostNotes else {
      return [(first, "\(notes.count) notes are more than \(Self.mostNotes); say it in the text")]
    }
    var problems: [(Int, String)] = []
    for (index, (note, place)) in zip(notes, places(in: block.code)).enumerated() {
      if note.number != index + 1 {
        problems.append((note.line, "this is note \(index + 1), and not \(note.number)"))
      } else if note.code.isEmpty {
        problems.append((note.line, "a note begins with code of its line: \"\(note.number). `code`: …\""))
      } else if place == nil {
        let isEarlier = block.code.contains { $0.contains(note.code) }
        problems.append(
          (
            note.line,
            isEarlier
              ? "\"\(note.code)\" stands only in a line above that of the note before"
              : "\"\(note.code)\" is in no line of the block above"
          ))
      } else if note.wordCount > Self.mostWords {
        problems.append((note.line, "the note has \(note.wordCount) words; a margin has room for \(Self.mostWords)"))
      }
    }
    return problems
  }
}

extension FencedBlock {
  /// The block's code, without the line that names its source.
  var code: [String] {
    let isNamed = self["file"] != nil && ["swift", "sql", "xml", "yaml"].contains(language)
    return isNamed ? Array(body.dropFirst()) : body
  }
}

extension MarkdownText {
  public var lineNotes: [LineNotes] {
    let blocks = blocks
    return proseLines.filter { $0.text == "<!-- notes -->" }.map { comment in
      let above = lines[..<(comment.number - 1)].lastIndex { !$0.isEmpty }.map { $0 + 1 }
      let items = lines[comment.number...].prefix { $0.prefixMatch(of: #/\d+\. |  +\S/#) != nil }
      let last = comment.number + items.count
      let notes = proseRuns.filter {
        $0.kind == .item && $0.lines.lowerBound > comment.number && $0.lines.upperBound <= last
      }
      .map { run in
        LineNotes.Note(
          line: run.lines.lowerBound,
          number: lines[run.lines.lowerBound - 1].prefixMatch(of: #/\d+/#).flatMap { Int($0.0) } ?? 0,
          code: run.text.prefixMatch(of: #/`([^`]+)`/#).map { String($0.1) } ?? "", wordCount: run.wordCount)
      }
      return LineNotes(
        lines: comment.number...last, notes: notes, block: blocks.firstIndex { $0.lines.upperBound == above })
    }
  }
}
