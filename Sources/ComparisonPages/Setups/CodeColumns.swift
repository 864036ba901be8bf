import BookPages
import Comparison

/// The set-ups' code with a column for each set-up and a row for each step. On a narrow screen, the columns are
/// sections.
///
/// Checkboxes choose the columns that are shown. The style sheet implements them, so they need no script; a browser
/// that can't apply it shows all columns.
struct CodeColumns {
  let html: String

  /// - Parameter room: the number of columns that fit on a wide page.
  /// - Throws: `BookProblem` if some of the code isn't there.
  init(_ report: ComparisonReport, snippets: PageFolder.Snippets, room: Int) throws {
    var snippets = snippets
    let shown = Self.shownAtFirst(report, room)
    let choices = report.setups.map { setup in
      """
      <label><input type="checkbox" id="\(Self.box(setup))"\(shown.contains(setup.info.id) ? " checked" : "")> \
      \(setup.info.title.escapedForHTML)</label>

      """
    }
    let columns = try report.setups.map { try Self.column($0, &snippets) }
    html = """
      <p>Where a step has no code, the reason stands there. The small numbers are lines without comments.</p>
      <div class="steps wide">
      <fieldset class="choice"><legend>Columns</legend>
      \(choices.joined())</fieldset>
      <style>\(Self.rules(report))</style>
      <div class="columns" role="region" aria-label="Code of the set-ups, side by side" tabindex="0">
      \(columns.joined())</div>
      </div>

      """
  }

  /// The first set-ups that don't share their sources, as many as fit.
  private static func shownAtFirst(_ report: ComparisonReport, _ room: Int) -> Set<String> {
    var folders: Set<String> = []
    let distinct = report.setups.filter { $0.info.folder.map { folders.insert($0).inserted } ?? true }
    return Set((report.setups.count <= room ? report.setups : distinct).prefix(room).map(\.info.id))
  }

  private static func box(_ setup: SetupReport) -> String { "show-\(setup.info.id.escapedForHTML)" }

  private static func rules(_ report: ComparisonReport) -> String {
    report.setups.map { ".steps:has(#\(box($0)):not(:checked)) .of-\($0.info.id.escapedForHTML)" }
      .joined(separator: ", ") + " { display: none; }"
  }

  private static func column(_ setup: SetupReport, _ snippets: inout PageFolder.Snippets) throws -> String {
    let info = setup.info
    let lines = setup.codeLines.map { ", \($0) lines" } ?? ""
    let cells = try SetupStep.Kind.allCases.map { try cell($0, setup, &snippets) }
    return """
      <section class="column of-\(info.id.escapedForHTML)" id="code-\(info.id.escapedForHTML)">
      <h3>\(info.title.escapedForHTML)<small>\(FactTables.chapter(info))\(lines)</small></h3>
      \(cells.joined())</section>

      """
  }

  private static func cell(
    _ kind: SetupStep.Kind, _ setup: SetupReport, _ snippets: inout PageFolder.Snippets
  ) throws -> String {
    let step = setup.info.step(kind)
    let lines = setup.codeLinesOfSteps[kind.rawValue].map { $0 == 0 ? "" : "<small>\($0)</small>" } ?? ""
    var content = step?.note.map { "<p>\($0.escapedForHTML)</p>\n" } ?? ""
    for place in step?.code ?? [] {
      content += try snippets.figure(file: place.file, "\(place.kind.rawValue)=\(place.name)") + "\n"
    }
    if content.isEmpty { content = "<p>No code of its own.</p>\n" }
    return "<div class=\"step\">\n<h4>\(kind.title.escapedForHTML)\(lines)</h4>\n\(content)</div>\n"
  }
}
