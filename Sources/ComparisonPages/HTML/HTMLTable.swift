import BookPages

/// A table in a box that scrolls by itself where it is too wide, or whose rows become lists. No cell of it is empty.
struct HTMLTable {
  private let label: String
  private let head: [String]
  private let isOfTexts: Bool
  private var rows: [String] = []

  /// - Parameters:
  ///   - label: What it shows, for who listens.
  ///   - head: HTML of the columns' headings; the first is that of the rows' names.
  ///   - isOfTexts: Whether cells hold sentences, and so need some width.
  init(_ label: String, head: [String], isOfTexts: Bool = false) {
    self.label = label
    self.head = head
    self.isOfTexts = isOfTexts
  }

  /// - Parameter cells: HTML; the first is the row's name. Nil where there is nothing to say.
  mutating func add(_ cells: [String?]) {
    let cells = cells.map { cell in
      guard let cell, !cell.isEmpty else { return Self.nothing }
      return cell
    }
    // Where the row is a list, each cell says what it is.
    let others = zip(head, cells).dropFirst().map { head, cell in "<td data-head=\"\(head)\">\(cell)</td>" }
    rows.append("<tr><th scope=\"row\">\(cells[0])</th>\(others.joined())</tr>\n")
  }

  static let nothing = "<span class=\"nothing\" title=\"nothing\">–</span>"

  /// Where a row becomes a list, since its cells would be too narrow: on phones, and sentences on narrow screens too.
  private var classes: String {
    head.count < 3
      ? " list-on-phones"
      : isOfTexts ? " texts list-on-phones list-on-tablets" : head.count > 3 ? " list-on-phones" : ""
  }

  var html: String {
    """
    <div class="table\(classes)" role="region" aria-label="\(label.escapedForHTML)" tabindex="0"><table>
    <thead><tr>\(head.map { "<th scope=\"col\">\($0)</th>" }.joined())</tr></thead>
    <tbody>
    \(rows.joined())</tbody>
    </table></div>

    """
  }
}
