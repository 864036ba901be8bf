import Foundation

/// A part of a text that is folded until a reader opens it: from `<details>` to `</details>`.
public struct Details: Sendable {
  /// Numbered from 1; to the end of the text if nothing closes it.
  public let lines: ClosedRange<Int>
  /// What the reader sees of it while it is folded; empty if it has none.
  public let summary: String
  /// Where the summary ends.
  public let summaryLine: Int
  public let isClosed: Bool
}

/// What is folded in a text, and the lines with a `</details>` that closes nothing.
struct FoldedParts: Sendable {
  let details: [Details]
  let strays: [Int]
}

extension MarkdownText {
  /// In the order of their beginnings.
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
