import BookPages

/// A table that scrolls in its own box if it is too wide, or whose rows become lists on a narrow screen. No cell is
/// empty.
struct HTMLTable {
  private let label: String
  private let head: [String]
  private let isOfTexts: Bool
  private var rows: [String] = []

  /// - Parameters:
  ///   - label: a description for screen readers.
  ///   - head: the columns' headings as HTML. The first is the heading of the rows' names.
  ///   - isOfTexts: whether cells contain sentences, which need some width.
  init(_ label: String, head: [String], isOfTexts: Bool = false) {
    self.label = label
    self.head = head
    self.isOfTexts = isOfTexts
  }

  /// - Parameter cells: HTML for each cell. The first is the row's name; nil is shown as a dash.
  mutating func add(_ cells: [String?]) {
    let cells = cells.map { cell in
      guard let cell, !cell.isEmpty else { return Self.nothing }
      return cell
    }
    rows.append("<tr>\(cells.map { "<td>\($0)</td>" }.joined())</tr>\n")
  }

  static let nothing = "<span class=\"nothing\" title=\"nothing\">–</span>"

  /// The table with the same markup as tables in the book: row headings, and lists on a narrow screen.
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
