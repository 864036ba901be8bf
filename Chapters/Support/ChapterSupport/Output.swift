import Foundation

/// What the chapters print: headings, lines and plain tables, the same on every run. No text of a store can move a
/// terminal's cursor; see `String.visible`.
public enum Output {
  /// An empty line and a heading.
  public static func heading(_ text: String) {
    let text = text.visible()
    print("\n\(text)\n\(String(repeating: "-", count: text.count))")
  }

  public static func line(_ text: String) {
    print("  " + text.visible())
  }

  /// Rows in columns, each as wide as its widest cell.
  public static func table(_ rows: [[String]]) {
    let rows = rows.map { $0.map { $0.visible(inOneLine: true) } }
    let columns = rows.map(\.count).max() ?? 0
    let widths = (0..<columns).map { column in
      rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
    }
    for row in rows {
      let cells = row.enumerated().map { column, cell in
        column == row.count - 1 ? cell : cell.padding(toLength: widths[column], withPad: " ", startingAt: 0)
      }
      let text = cells.joined(separator: "  ")
      line(String(text.reversed().drop { $0 == " " }.reversed()))
    }
  }

  /// `3 students`, `1 student`.
  public static func count(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? singular : plural ?? singular + "s")"
  }
}
