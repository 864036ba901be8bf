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
    rows.append("<tr>\(cells.map { "<td>\($0)</td>" }.joined())</tr>\n")
  }

  static let nothing = "<span class=\"nothing\" title=\"nothing\">–</span>"

  /// With what the tables of the book's texts have too: headings of rows, and where it becomes a list.
  var html: String {
    let table = """
      <table>
      <thead><tr>\(head.map { "<th>\($0)</th>" }.joined())</tr></thead>
      <tbody>
      \(rows.joined())</tbody>
      </table>
      """
    return TableMarkup.html(of: table, label: label, kind: isOfTexts ? "texts" : nil) + "\n"
  }
}
