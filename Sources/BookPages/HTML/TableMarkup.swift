/// Makes a table from the Markdown program accessible, and readable on narrow screens.
///
/// The cells of its first column become row headings, and each cell knows its column's heading. The table's class says
/// on which screens it becomes a list: where a cell would be narrower than twelve characters.
public enum TableMarkup {
  /// - Parameters:
  ///   - html: the HTML from `<table>` to `</table>`.
  ///   - label: a description of the table in plain text, if there is one.
  ///   - kind: a class to add to those that say where it becomes a list.
  public static func html(of html: String, label: String? = nil, kind: String? = nil) -> String {
    var pieces = HTMLPiece.pieces(of: html)
    let headings = cells(of: pieces, in: "thead").first ?? []
    let rows = cells(of: pieces, in: "tbody")
    let hasRowHeadings = headings.count > 1 && rows.allSatisfy { $0.first?.isEmpty == false }
    var (column, isInBody) = (-1, false)
    var headingCells: [Int] = []
    for index in pieces.indices {
      guard case .tag(var tag) = pieces[index] else { continue }
      switch (tag.name, tag.isEnd) {
      case ("tbody", _): isInBody = !tag.isEnd
      case ("tr", false): column = -1
      case ("th", false):
        column += 1
        // An empty cell can't be a heading.
        if headings[column].isEmpty { headingCells.append(index) } else { tag["scope"] = "col" }
      case ("td", false) where isInBody:
        column += 1
        if column == 0, hasRowHeadings {
          tag.name = "th"
          tag["scope"] = "row"
        } else if column < headings.count, !headings[column].isEmpty {
          tag["data-head"] = headings[column]
        }
      case ("td", true) where isInBody && column == 0 && hasRowHeadings:
        tag.name = "th"
      default: break
      }
      pieces[index] = .tag(tag)
    }
    for index in headingCells {
      guard case .tag(var tag) = pieces[index] else { continue }
      tag.name = "td"
      pieces[index] = .tag(tag)
      guard
        let end = pieces[index...].firstIndex(where: {
          if case .tag(let end) = $0 { end.isEnd && end.name == "th" } else { false }
        }),
        case .tag(var endTag) = pieces[end]
      else { continue }
      endTag.name = "td"
      pieces[end] = .tag(endTag)
    }
    let names = ["table"] + (kind.map { [$0] } ?? []) + classes(headings: headings, rows: rows)
    let role = label == nil ? "group" : "region"
    return """
      <div class="\(names.joined(separator: " "))" role="\(role)" aria-label="\((label ?? "Table").escapedForHTML)" \
      tabindex="0">\(pieces.html)</div>
      """
  }

  /// The plain texts of the cells in one part of the table, row by row. A cell may have several lines.
  private static func cells(of pieces: [HTMLPiece], in part: String) -> [[String]] {
    var (rows, isInside, isInCell): ([[String]], Bool, Bool) = ([], false, false)
    for piece in pieces {
      switch piece {
      case .tag(let tag) where tag.name == part: isInside = !tag.isEnd
      case .tag(let tag) where tag.name == "tr" && !tag.isEnd && isInside: rows.append([])
      case .tag(let tag) where ["td", "th"].contains(tag.name) && isInside:
        isInCell = !tag.isEnd
        if isInCell { rows[rows.count - 1].append("") }
      case .tag(let tag) where ["br", "wbr"].contains(tag.name) && isInCell && isInside:
        rows[rows.count - 1][rows[rows.count - 1].count - 1] += tag.name == "br" ? "\n" : String(mayBreak)
      case .text(let text) where isInCell && isInside:
        rows[rows.count - 1][rows[rows.count - 1].count - 1] += text.unescapedFromHTML
      default: break
      }
    }
    return rows
  }

  /// A place inside a word where a line may break.
  private static let mayBreak: Character = "\u{200B}"

  /// The classes that make it a list on phones, which have room for 40 characters, and on tablets, which have 84.
  static func classes(headings: [String], rows: [[String]]) -> [String] {
    let columns = headings.indices.map { column in
      Column(cells: rows.map { $0.count > column ? $0[column] : "" }, heading: headings[column])
    }
    return [("on-phones", 40), ("on-tablets", 84)].filter { !fits(columns, in: $0.1) }.map { "list-\($0.0)" }
  }

  private struct Column {
    /// The length of the longest word. A column is never narrower.
    let least: Int
    /// The length of the longest cell on one line, including the heading.
    let most: Int
    /// The length of the longest cell without the heading, whose words may be below each other.
    let wanted: Int

    init(cells: [String], heading: String) {
      let places: Set<Character> = [" ", "\n", TableMarkup.mayBreak]
      least = (cells + [heading]).flatMap { $0.split(whereSeparator: places.contains).map(\.count) }.max() ?? 0
      wanted = cells.flatMap { $0.split(separator: "\n").map(\.count) }.max() ?? 0
      most = max(wanted, heading.count)
    }
  }

  /// Whether each column gets twelve characters or all that it needs. Browsers divide the remaining width in proportion
  /// to what the columns want.
  private static func fits(_ columns: [Column], in width: Int) -> Bool {
    let room = width - 2 * (columns.count - 1)
    let (least, most) = (columns.reduce(0) { $0 + $1.least }, columns.reduce(0) { $0 + $1.most })
    guard least <= room else { return false }
    guard most > room else { return true }
    return columns.allSatisfy { column in
      let given =
        Double(column.least) + Double(room - least) * Double(column.most - column.least) / Double(max(1, most - least))
      return given >= Double(min(12, column.wanted))
    }
  }
}
