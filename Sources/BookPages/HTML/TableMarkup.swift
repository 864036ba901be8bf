/// Gives a table of the program for Markdown what readers need where it does not fit, and those who listen.
///
/// Its first column are headings of rows, each cell knows the heading of its column, and the table says by its class
/// where it becomes a list: where a cell would be narrower than twelve characters.
public enum TableMarkup {
  /// - Parameters:
  ///   - html: From `<table>` to `</table>`.
  ///   - label: What the table shows, in plain text, if somebody has said it.
  ///   - kind: A class beside those that say where it becomes a list.
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
        // An empty cell is the heading of nothing.
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

  /// The plain texts of the cells in a part of the table, row by row. A cell may have several lines.
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

  /// A place inside a word where a line may end.
  private static let mayBreak: Character = "\u{200B}"

  /// Where the table becomes a list: on phones, of 40 characters, and on narrow screens, of 84.
  static func classes(headings: [String], rows: [[String]]) -> [String] {
    let columns = headings.indices.map { column in
      Column(cells: rows.map { $0.count > column ? $0[column] : "" }, heading: headings[column])
    }
    return [("on-phones", 40), ("on-tablets", 84)].filter { !fits(columns, in: $0.1) }.map { "list-\($0.0)" }
  }

  private struct Column {
    /// The longest word: a column is never narrower.
    let least: Int
    /// The longest cell in one line.
    let most: Int
    /// The longest cell without the heading, whose words may stand below each other.
    let wanted: Int

    init(cells: [String], heading: String) {
      let places: Set<Character> = [" ", "\n", TableMarkup.mayBreak]
      least = (cells + [heading]).flatMap { $0.split(whereSeparator: places.contains).map(\.count) }.max() ?? 0
      wanted = cells.flatMap { $0.split(separator: "\n").map(\.count) }.max() ?? 0
      most = max(wanted, heading.count)
    }
  }

  /// Whether browsers, which share what is left in proportion to what is wanted, give each column twelve characters or
  /// all that it needs.
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
