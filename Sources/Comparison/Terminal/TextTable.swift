/// Rows and columns of text for a terminal.
struct TextTable {
  enum Alignment {
    case left, right
  }

  let alignments: [Alignment]
  private(set) var rows: [[String]] = []

  init(_ alignments: [Alignment]) { self.alignments = alignments }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The lines. Each column is as wide as its widest cell; lines have no blanks at the end.
  var lines: [String] {
    let widths = alignments.indices.map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
    return rows.map { row in
      let cells = row.enumerated().map { column, cell in
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        return alignments[column] == .left ? cell + blanks : blanks + cell
      }
      return cells.joined(separator: "  ").trimmedEnd
    }
  }
}

extension String {
  var trimmedEnd: String { String(reversed().drop { $0 == " " }.reversed()) }

  /// At most `width` characters. A longer text is cut and ends in "…".
  func cut(to width: Int) -> String { count <= width ? self : prefix(width - 1).trimmedEndText + "…" }

  /// The text in lines of at most `width` characters, broken at blanks.
  func wrapped(to width: Int) -> [String] {
    var lines: [String] = []
    for word in split(whereSeparator: \.isWhitespace) {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Substring {
  fileprivate var trimmedEndText: String { String(self).trimmedEnd }
}
