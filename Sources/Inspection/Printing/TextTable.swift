import DataModelFiles
import Foundation

/// Rows and columns of text for a terminal. Each column is as wide as its widest cell.
struct TextTable {
  private(set) var rows: [[String]] = []
  /// The columns with numbers, which are aligned to the right.
  private let figures: Set<Int>

  init(figures: Set<Int> = []) { self.figures = figures }

  mutating func add(_ cells: [String?]) { rows.append(cells.map { $0 ?? "" }) }

  /// The lines, without blanks at the end. Columns that are empty in every row are left out.
  func lines(indent: Int = 0) -> [String] {
    let columns = (0..<(rows.map(\.count).max() ?? 0)).filter { column in
      rows.contains { column < $0.count && !$0[column].isEmpty }
    }
    let widths = columns.map { column in
      rows.map { column < $0.count ? $0[column].columns : 0 }.max() ?? 0
    }
    let margin = String(repeating: " ", count: indent)
    return rows.map { row in
      var line = margin
      for (column, width) in zip(columns, widths) {
        let cell = column < row.count ? row[column] : ""
        let blanks = String(repeating: " ", count: width - cell.columns)
        line += (figures.contains(column) ? blanks + cell : cell + blanks) + "  "
      }
      return line.trimmingEnd()
    }
  }
}

extension [String] {
  /// The lines of a report. A name with a break in it, which a file may have, can't add a line of its own.
  var asText: String { map { $0.inOneLine + "\n" }.joined() }
}

extension String {
  func trimmingEnd() -> String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }

  /// The number of terminal columns that the text takes.
  var columns: Int {
    if utf8.allSatisfy({ $0 < 0x80 }) { return utf8.count }
    return reduce(0) { $0 + $1.columns }
  }

  /// The text in at most `width` columns. A longer text is cut and ends in "…".
  func cut(to width: Int) -> String {
    if columns <= width { return self }
    var text = ""
    var taken = 0
    for character in self {
      taken += character.columns
      if taken >= width { break }
      text.append(character)
    }
    return text + "…"
  }
}

extension Character {
  fileprivate var columns: Int {
    guard let scalar = unicodeScalars.first, scalar.value >= 0x300 else { return 1 }
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200F: return 0
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE4F, 0xFF00...0xFF60,
      0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }
}

/// A count with its noun: `1 row`, `12 rows`, `1,204 rows`.
func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
  "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
}

/// A number with a comma before every third digit from the right.
func grouped(_ number: Int) -> String {
  var text = ""
  for (place, digit) in String(abs(number)).reversed().enumerated() {
    if place > 0, place % 3 == 0 { text.append(",") }
    text.append(digit)
  }
  return (number < 0 ? "-" : "") + String(text.reversed())
}
