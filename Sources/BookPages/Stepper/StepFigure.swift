import BookText
import StepFrames

/// A recording as a figure. Its frames are below each other; the page's script shows one at a time.
struct StepFigure {
  let recording: StepRecording
  let id: String
  /// The link to the recording as HTML.
  let source: String
  /// The tables that are shown with a line for each column, because they are too wide for the figure and have few rows.
  private let tablesOnTheirSide: Set<String>

  init(recording: StepRecording, id: String, source: String) {
    (self.recording, self.id, self.source) = (recording, id, source)
    let tables = recording.steps.flatMap(\.frame.tables)
    let tall = tables.filter { $0.rows.count > 3 }.map(\.name)
    tablesOnTheirSide = Set(tables.filter { Self.width(of: $0) > 34 }.map(\.name)).subtracting(tall)
  }

  /// The width in characters, including the space between columns. A text may be broken at its blanks.
  private static func width(of table: StepFrame.Table) -> Int {
    table.columns.indices.reduce(0) { width, column in
      let words = [table.columns[column]] + table.rows.flatMap { $0[column].split(separator: " ").map(String.init) }
      return width + 2 + (words.map(\.count).max() ?? 0)
    }
  }

  static let style = "stepper.css"
  static let script = "stepper.js"

  /// Whether a page contains a stepper, and so needs the two files.
  static func isShown(in content: String) -> Bool { content.contains("<figure class=\"steps\"") }

  var html: String {
    let id = id.escapedForHTML
    let count = recording.steps.count
    return """
      <figure class="steps" id="\(id)" aria-label="\(recording.title.escapedForHTML), in \(count) steps">
      <figcaption><a href="#\(id)">\(recording.title.escapedForHTML)</a>, in \(count) steps. Recorded and checked: \(source)</figcaption>
      <ol class="step-frames">
      \(recording.steps.indices.map(frame).joined(separator: "\n"))
      </ol>
      </figure>
      """
  }

  private func frame(_ index: Int) -> String {
    let step = recording.steps[index]
    let comparison = StepComparison(step, before: index == 0 ? nil : recording.steps[index - 1].frame)
    let contexts = comparison.contexts.map { Self.html(of: $0, isAlone: comparison.contexts.count == 1) }
    let changes = recording.changes(of: index).map { $0.escapedForHTML }.joined(separator: "; ")
    return """
      <li class="step" id="\(id.escapedForHTML)-\(index + 1)">
      <p class="step-caption"><span class="step-number">\(index + 1)</span> \(Self.caption(step.frame.caption))</p>
      <p class="step-changes unseen">\(index == 0 ? "At the beginning" : "What changed"): \(changes)</p>
      <div class="step-grid">
      <div class="step-contexts">
      \(contexts.joined(separator: "\n"))
      </div>
      <div class="step-part"><p class="step-head">SQL</p>
      \(Self.html(of: step.statements))</div>
      <div class="step-part"><p class="step-head">Rows</p>
      \(comparison.tables.map(html).joined(separator: "\n"))</div>
      </div>
      </li>
      """
  }

  /// The caption as HTML. Words between backquotes are code.
  static func caption(_ text: String) -> String {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .map { offset, part in
        let html = String(part).escapedForHTML
        return offset.isMultiple(of: 2) ? html : "<code>\(html)</code>"
      }
      .joined()
  }

  // MARK: Objects and contexts

  private static func html(of context: StepComparison.Context, isAlone: Bool) -> String {
    let name = isAlone ? "" : " of <code>\(context.name.escapedForHTML)</code>"
    let objects = context.objects.map(html) + context.gone.map(html(ofGone:))
    let none = "<p class=\"step-none\">No objects</p>"
    return """
      <div class="step-part"><p class="step-head">Objects\(name)</p>
      \(objects.isEmpty ? none : "<ul class=\"step-objects\">\n\(objects.joined(separator: "\n"))\n</ul>")</div>
      <div class="step-part"><p class="step-head">Context</p>
      \(pending(in: context))</div>
      """
  }

  private static func html(of object: StepComparison.Object) -> String {
    let now = object.now
    let hasGotRow = object.before.map { $0.row == nil && now.row != nil } ?? false
    let row = mark("<span class=\"step-quiet\">\(now.row.map { "row \($0)" } ?? "no row yet")</span>", hasGotRow)
    let sign = now.state == .inserted ? "<span class=\"step-sign\">+ </span>" : ""
    let state =
      now.state.word.map {
        ", " + mark("<span class=\"step-state\">\($0)</span>", object.stateChanged && !object.isNew)
      } ?? ""
    let values = now.values.map { value -> String in
      let key = value.key.escapedForHTML
      let text = value.text.escapedForHTML
      let arrow = value.destinations == nil ? " " : "<span class=\"step-arrow\"> → </span>"
      return "<li>" + mark("<code>\(key)</code>\(arrow)\(text)", object.isChanged(value)) + "</li>"
    }
    // A fault that was read before is known by name, but has no values.
    let shown = values.isEmpty ? now.name.map { ["<li class=\"step-quiet\">\($0.escapedForHTML)</li>"] } ?? [] : values
    return "<li class=\"step-object \(now.state.rawValue)\"><p>\(sign)"
      + mark("<b>\(now.entity.escapedForHTML)</b>", object.isNew)
      + " \(row)\(state)</p>" + (shown.isEmpty ? "" : "<ul>\(shown.joined())</ul>") + "</li>"
  }

  private static func html(ofGone object: StepFrame.Object) -> String {
    "<li class=\"step-object gone\"><p><s>\(object.label.escapedForHTML)</s> <span class=\"step-state\">gone</span></p></li>"
  }

  /// The changes that a save would write.
  private static func pending(in context: StepComparison.Context) -> String {
    let lines = context.objects.compactMap { object -> String? in
      let now = object.now
      let label = (now.name ?? now.row.map { "\(now.entity), row \($0)" } ?? now.entity).escapedForHTML
      let line: String
      switch now.state {
      case .fault, .clean: return nil
      case .inserted: line = "insert \(label)"
      case .deleted: line = "delete <s>\(label)</s>"
      case .updated:
        let keys = now.values.filter(\.isChanged).map { "<code>\($0.key.escapedForHTML)</code>" }
        line = "update \(label)" + (keys.isEmpty ? "" : ": \(keys.joined(separator: ", "))")
      }
      return "<li>\(mark(line, object.stateChanged))</li>"
    }
    let hadChanges = (context.objects.compactMap(\.before) + context.gone).contains {
      ![.fault, .clean].contains($0.state)
    }
    return "<div class=\"step-context\"><p><code><b>\(context.name.escapedForHTML)</b></code></p>"
      + (lines.isEmpty
        ? "<p class=\"step-none\">\(mark("Nothing to save", hadChanges))</p>"
        : "<p class=\"step-quiet\">To save:</p><ul>\(lines.joined())</ul>")
      + "</div>"
  }

  // MARK: SQL and rows

  private static func html(of statements: [SQLStatement]) -> String {
    let (essential, others) = statements.essential
    let lines =
      essential.map { "<li><code>\(Highlighter.html(of: $0.text, language: "sql"))</code></li>" }
      + others.map {
        "<li class=\"step-quiet\">and \($0.count) \($0.count == 1 ? "statement" : "statements") \($0.kind.words)</li>"
      }
    if lines.isEmpty { return "<p class=\"step-none\">None</p>" }
    return "<ol class=\"step-sql\">\(lines.joined())</ol>"
  }

  private func html(of table: StepComparison.Table) -> String {
    tablesOnTheirSide.contains(table.name) ? Self.htmlOnItsSide(table) : Self.htmlUpright(table)
  }

  private static func htmlUpright(_ table: StepComparison.Table) -> String {
    let head = table.columns.map { "<th scope=\"col\">\($0.escapedForHTML)</th>" }.joined()
    let rows = table.rows.map { row in
      "<tr>" + row.now.indices.map { "<td>\(mark(row.now[$0].escapedForHTML, row.isChanged($0)))</td>" }.joined()
        + "</tr>"
    }
    let gone = table.gone.map {
      "<tr class=\"gone\">" + $0.map { "<td><s>\($0.escapedForHTML)</s></td>" }.joined() + "</tr>"
    }
    let none =
      rows.isEmpty && gone.isEmpty
      ? "<tr><td class=\"step-none\" colspan=\"\(table.columns.count)\">No rows</td></tr>" : ""
    return
      "<div class=\"step-table\"><table><caption>\(table.name.escapedForHTML)</caption><thead><tr>\(head)</tr></thead>"
      + "<tbody>\((rows + gone).joined())\(none)</tbody></table></div>"
  }

  /// The table with a line for each column.
  private static func htmlOnItsSide(_ table: StepComparison.Table) -> String {
    let lines = table.columns.indices.map { column in
      let cells = table.rows.map { "<td>\(mark($0.now[column].escapedForHTML, $0.isChanged(column)))</td>" }.joined()
      let gone = table.gone.map { "<td class=\"gone\"><s>\($0[column].escapedForHTML)</s></td>" }.joined()
      return "<tr><th scope=\"row\">\(table.columns[column].escapedForHTML)</th>\(cells)\(gone)</tr>"
    }
    let isEmpty = table.rows.isEmpty && table.gone.isEmpty
    let none = "<tr><td class=\"step-none\">No rows</td></tr>"
    return "<div class=\"step-table\"><table><caption>\(table.name.escapedForHTML)</caption>"
      + "<tbody>\(isEmpty ? none : lines.joined())</tbody></table></div>"
  }

  private static func mark(_ html: String, _ isChanged: Bool) -> String { isChanged ? "<mark>\(html)</mark>" : html }
}
