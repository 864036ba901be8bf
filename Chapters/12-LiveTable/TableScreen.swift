import CoreData

/// The table on a screen of some size: which rows are in sight, which is selected, what the
/// last batch did to each. A value: it knows no terminal, and no context.
public struct TableScreen {
  public var columns: Int
  public var lineCount: Int
  public private(set) var list = ShownList()
  /// The id and not the place, so that the selection stays with the patient when rows move.
  public private(set) var selection: NSManagedObjectID?
  /// What the table is filtered by; empty for all.
  public var filter = ""
  /// Whether the filter is being typed.
  public var isTyping = false
  /// The last line; a list of keys, if it is empty.
  public var message = ""

  /// What the last batch did: `+` came, `~` moved, `*` updated.
  private var marks: [NSManagedObjectID: String] = [:]
  /// How many lines of the table are above the screen.
  private var scrolled = 0

  public init(columns: Int, lines: Int) {
    self.columns = columns
    lineCount = lines
  }

  //> show
  /// Shows another list, or the same one after a batch.
  public mutating func show(_ new: ShownList, after batch: ListBatch? = nil) {
    let place = list.rows.firstIndex { $0.id == selection } ?? 0
    list = new
    marks = [:]
    for change in batch?.rows ?? [] {
      guard let row = change.row else { continue }
      marks[row.id] = change.type == .insert ? "+" : change.type == .move ? "~" : "*"
    }
    // When the selected patient has gone, select the one in that place now.
    let rows = new.rows
    if !rows.contains(where: { $0.id == selection }) {
      selection = rows.isEmpty ? nil : rows[min(place, rows.count - 1)].id
    }
  }
  //< show

  /// Selects the row so many rows below, as far as there are some.
  public mutating func moveSelection(by count: Int) {
    let rows = list.rows
    guard !rows.isEmpty else { return }
    let place = rows.firstIndex { $0.id == selection } ?? 0
    selection = rows[min(max(place + count, 0), rows.count - 1)].id
  }

  public var selectedRow: PatientRow? { list.rows.first { $0.id == selection } }

  /// The section that the selected row stands in.
  public var selectedUrgency: Urgency? {
    list.sections.first { $0.rows.contains { $0.id == selection } }
      .flatMap { Int16($0.name) }.flatMap(Urgency.init)
  }

  /// How many rows a page has.
  public var page: Int { max(1, lineCount - 3) }

  /// All lines of the screen, each as wide as it is. Scrolls, if the selected row is out of
  /// sight.
  public mutating func lines() -> [ScreenLine] {
    let body = table()
    let room = max(0, lineCount - 3)
    scroll(body, room)
    var lines = [ScreenLine(title, .title), ScreenLine(Self.heading, .heading)]
    lines += body.dropFirst(scrolled).prefix(room).map(\.line)
    while lines.count < lineCount - 1 { lines.append(ScreenLine("")) }
    lines.append(ScreenLine(status, .status))
    return lines.suffix(max(0, lineCount)).map {
      ScreenLine(ScreenLine.fit($0.text, columns), $0.style)
    }
  }

  private var title: String {
    let count = list.rows.count
    return "Waiting room: \(count == 0 ? "no one" : "\(count)") waiting"
      + (filter.isEmpty ? "" : ", filter \"\(filter)\"")
  }

  private static let heading = "    Arrived  Name              Complaint           Room"

  private var status: String {
    if isTyping { return "Filter: \(filter)_   Enter keeps it, Esc takes it away" }
    if !message.isEmpty { return message }
    return
      "Up/Down select  a admit  e/E urgency  r room  d discharge  / filter  q quit"
  }

  /// The table itself, each line with the id of its row.
  private func table() -> [(line: ScreenLine, id: NSManagedObjectID?)] {
    list.sections.flatMap { section in
      [
        (
          ScreenLine(
            "\(Urgency.title(ofSection: section.name)) (\(section.rows.count))", .section), nil
        )
      ]
        + section.rows.map { row in
          let isSelected = row.id == selection
          let mark = marks[row.id]
          let text =
            (isSelected ? "> " : "  ") + ScreenLine.fit(mark ?? "", 2)
            + ScreenLine.fit(row.arrival, 9)
            + ScreenLine.fit(row.name, 18) + ScreenLine.fit(row.complaint, 20)
            + (row.room ?? "")
          return (
            ScreenLine(text, isSelected ? .selected : mark == nil ? .row : .changed), row.id
          )
        }
    }
  }

  private mutating func scroll(
    _ body: [(line: ScreenLine, id: NSManagedObjectID?)], _ room: Int
  ) {
    if let selected = body.firstIndex(where: { $0.id != nil && $0.id == selection }) {
      // The first row of a section brings the section's title along.
      let first = selected > 0 && body[selected - 1].id == nil ? selected - 1 : selected
      scrolled = min(scrolled, first)
      scrolled = max(scrolled, selected - room + 1)
    }
    scrolled = max(0, min(scrolled, body.count - room))
  }
}
