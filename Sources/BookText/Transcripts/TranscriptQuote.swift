import Foundation

/// Compares what a block shows with a transcript.
///
/// A line with only `…` stands for lines that are left out.
enum TranscriptQuote {
  static let omission = "…"

  /// Whether the transcript contains each run of lines without gaps, and the runs in this order.
  static func shows(_ body: [String], of transcript: Transcript) -> Bool {
    let lines = transcript.text.components(separatedBy: "\n").map(trimmedEnd)
    return finds(runs(body.map(trimmedEnd)), in: lines) { $0.elementsEqual($1) }
  }

  /// Whether the transcript contains each run of statements without gaps, in this order. Any white space counts as one
  /// blank.
  static func showsStatements(_ body: [String], of transcript: Transcript) -> Bool {
    let statements = transcript.statements.map(words)
    var next = 0
    return runs(body).allSatisfy { run in
      let wanted = words(run.joined(separator: " "))
      for start in statements.indices.dropFirst(next) {
        var joined: [String] = []
        for end in statements.indices[start...] where joined.count < wanted.count {
          joined += statements[end]
          if joined == wanted {
            next = end + 1
            return true
          }
        }
      }
      return false
    }
  }

  private static func finds(
    _ runs: [[String]], in lines: [String], matches: (ArraySlice<String>, [String]) -> Bool
  ) -> Bool {
    guard !runs.isEmpty else { return false }
    var next = 0
    return runs.allSatisfy { run in
      guard lines.count >= run.count,
        let start = (next...max(next, lines.count - run.count)).first(where: {
          $0 + run.count <= lines.count && matches(lines[$0..<($0 + run.count)], run)
        })
      else { return false }
      next = start + run.count
      return true
    }
  }

  private static func runs(_ body: [String]) -> [[String]] {
    body.split { $0.trimmingCharacters(in: .whitespaces) == omission }.map(Array.init)
      .filter { !$0.allSatisfy { $0.allSatisfy(\.isWhitespace) } }
  }

  private static func words(_ text: String) -> [String] { text.split(whereSeparator: \.isWhitespace).map(String.init) }

  private static func trimmedEnd(_ line: String) -> String {
    String(line.reversed().drop(while: \.isWhitespace).reversed())
  }
}
