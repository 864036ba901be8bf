import Foundation

/// A folded part of a text, from `<details>` to `</details>`.
public struct Details: Sendable {
  /// The lines, counted from 1. They reach to the end of the text if nothing closes the part.
  public let lines: ClosedRange<Int>
  /// The text that the reader sees while the part is folded; empty if there is none.
  public let summary: String
  /// The line on which the summary ends.
  public let summaryLine: Int
  public let isClosed: Bool
}

/// The folded parts of a text, and the lines with a `</details>` that closes nothing.
struct FoldedParts: Sendable {
  let details: [Details]
  let strays: [Int]
}

extension MarkdownText {
  /// The folded parts, ordered by their beginning.
  public var details: [Details] { foldedParts.details }

  /// Lines with a `</details>` that closes nothing.
  var strayDetailsEnds: [Int] { foldedParts.strays }

  private var foldedParts: FoldedParts { readFoldedParts.value(readDetails) }

  private func readDetails() -> FoldedParts {
    var open: [Int] = []
    var found: [Details] = []
    var strays: [Int] = []
    for line in proseLines {
      let text = Self.withoutCode(line.text)
      if text.contains(Patterns.details) { open.append(line.number) }
      if text.contains("</details>") {
        if let first = open.popLast() {
          found.append(details(first...line.number, isClosed: true))
        } else {
          strays.append(line.number)
        }
      }
    }
    found += open.map { details($0...lines.count, isClosed: false) }
    return FoldedParts(details: found.sorted { $0.lines.lowerBound < $1.lines.lowerBound }, strays: strays)
  }

  private func details(_ lines: ClosedRange<Int>, isClosed: Bool) -> Details {
    var summary = ""
    for number in lines {
      let line = self.lines[number - 1]
      summary += (summary.isEmpty ? "" : " ") + line
      if number > lines.lowerBound, line.isEmpty { break }
      guard let end = summary.firstRange(of: "</summary>") else { continue }
      let start = summary.firstRange(of: #/<summary[^>]*>/#)?.upperBound ?? summary.startIndex
      let text = summary[min(start, end.lowerBound)..<end.lowerBound].trimmingCharacters(in: .whitespaces)
      return Details(lines: lines, summary: text, summaryLine: number, isClosed: isClosed)
    }
    return Details(lines: lines, summary: "", summaryLine: lines.lowerBound, isClosed: isClosed)
  }
}
