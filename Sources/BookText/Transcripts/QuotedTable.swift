import Foundation

/// A table in a text whose rows come from a transcript. The comment `<!-- table transcript=NAME -->` stands above it.
///
/// The text may leave out rows, but not the head.
struct QuotedTable: Sendable {
  let transcript: String
  /// The line of the head, counted from 1.
  let line: Int
  /// The head, the rule below it, and the rows.
  let lines: [String]

  /// Whether a table of the transcript has this head, and these rows in this order.
  func isShown(in text: String) -> Bool {
    guard lines.count > 2 else { return false }
    let known = text.components(separatedBy: "\n")
    return known.indices.contains { start in
      let rows = known[start...].prefix { $0.hasPrefix("|") }
      guard rows.count >= lines.count, rows.prefix(2).elementsEqual(lines.prefix(2)) else { return false }
      var rest = rows.dropFirst(2)
      return lines.dropFirst(2).allSatisfy { line in
        guard let index = rest.firstIndex(of: line) else { return false }
        rest = rest[(index + 1)...]
        return true
      }
    }
  }
}

extension MarkdownText {
  var quotedTables: [QuotedTable] {
    let prose = proseLines
    return prose.indices.compactMap { index in
      guard let mark = prose[index].text.wholeMatch(of: Patterns.quotedTable) else { return nil }
      let below = prose[(index + 1)...].drop { $0.text.isEmpty }
      return QuotedTable(
        transcript: String(mark.1), line: below.first?.number ?? prose[index].number,
        lines: below.prefix { $0.text.hasPrefix("|") }.map(\.text))
    }
  }
}

extension Page {
  /// The lines at which checked output begins: blocks and tables from transcripts.
  var outputLines: [Int] {
    blocks.filter { $0["transcript"] != nil }.map(\.lines.lowerBound) + markdown.quotedTables.map(\.line)
  }
}

extension BookCheck {
  /// Checks the tables of a page that name a transcript.
  func checkTables(on page: Page, _ transcripts: [Transcript]) -> [BookProblem] {
    page.markdown.quotedTables.compactMap { table in
      let path = "\(page.folder)/\(table.transcript).transcript"
      guard let transcript = transcripts.first(where: { $0.path == path }) else {
        return page.problem(table.line, "there is no \(path)")
      }
      return table.isShown(in: transcript.text)
        ? nil : page.problem(table.line, "this table is not in \(path), or not all of it")
    }
  }
}
