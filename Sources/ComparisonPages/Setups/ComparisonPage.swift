import BookPages
import BookText
import Comparison
import Foundation

/// The page with the results of `compare`, in the book's style.
public struct ComparisonPage {
  public let report: ComparisonReport
  /// The root of the checkout, whose set-ups are quoted.
  public let root: URL

  public init(_ report: ComparisonReport, root: URL) {
    self.report = report
    self.root = root
  }

  public static let title = "Set-ups compared"

  /// Writes `index.html` and its resources into `folder`, whose pages it replaces at the end. The page opens from the
  /// disk and needs no script.
  ///
  /// - Throws: `BookProblem` if a set-up's code isn't where the report says; `PagesProblem` if `folder` has no
  ///   pages but something else.
  public func write(into folder: URL) throws {
    let pages = PageFolder(
      book: try BookText.Book(root: root), title: "Strata", colophon: Self.colophon, styleSheet: try StyleSheet.text())
    let sections = self.sections(try CodeColumns(report, snippets: pages.snippets(), room: 3))
    pages.add(
      "index.html", title: Self.title, content: "<h1>\(Self.title)</h1>\n" + content(sections),
      headings: sections.map(\.heading))
    try pages.write(into: folder)
  }

  /// The same content for a page that has its own title.
  ///
  /// - Throws: `BookProblem` if a set-up's code isn't where the report says.
  func part(_ snippets: PageFolder.Snippets) throws -> String {
    // The navigation of the book's pages takes the place of one column.
    content(sections(try CodeColumns(report, snippets: snippets, room: 2)))
  }

  private func content(_ sections: [Section]) -> String {
    head + sections.map { $0.heading.html + $0.content }.joined()
  }

  static let colophon =
    "Figures on this page come from one run of <code>swift run -c release compare</code> on the machine that is named above. "
    + "Code comes from the sources that ran."

  private typealias Section = (heading: PageFolder.Heading, content: String)

  /// The sections of the page, in order.
  private func sections(_ columns: CodeColumns) -> [Section] {
    let facts = FactTables(report)
    var sections: [Section] = [section("set-ups", "The set-ups", facts.setups)]
    if !failures.isEmpty { sections.append(section("failed", "Failed", failures)) }
    sections.append(section("code", "The code, step by step", columns.html))
    sections.append(section("objects", "Who makes what", facts.objects))
    sections.append(section("contexts", "Contexts, queues, and what a reader sees", facts.contexts))
    let charts = MeasureCharts(report).html
    if !charts.isEmpty { sections.append(section("times", "Times", charts)) }
    let timelines = Timelines(report)
    if !timelines.isEmpty { sections.append(section("queues", "Which queue did what, and when", timelines.html)) }
    if !facts.work.isEmpty { sections.append(section("work", "What was done", facts.work)) }
    if !report.faults.isEmpty { sections.append(section("faults", "When something fails", FaultTables(report).html)) }
    return sections
  }

  private func section(_ id: String, _ title: String, _ content: String) -> Section {
    (PageFolder.Heading(id: id, title: title), content)
  }

  // MARK: Head

  private var head: String {
    let (machine, size) = (report.machine, report.workload)
    let rounds = size.rounds == 1 ? "once" : "\(size.rounds) times, taking turns"
    return """
      <p>Each set-up opens a file with \(Figures.grouped(size.booksBefore)) books, shows the first of them, and imports \
      \(Figures.grouped(size.books)) more in writes of \(Figures.grouped(size.batch)), while a user edits what is shown. \
      Each works in a process of its own, and was measured \(rounds).</p>
      <p class="machine">\(Figures.date(machine.date)). \(machine.processor.escapedForHTML), \(machine.cores) cores, \
      \(Figures.memory(machine.memory)) of memory, \(machine.system.escapedForHTML), \
      \(machine.configuration.escapedForHTML) build.</p>

      """ + warning
  }

  private var warning: String {
    if report.machine.configuration == "release" {
      guard report.machine.isBusy else { return "" }
      return """
        <p class="warning">The machine was busy, with a load average of \(Figures.fixed(report.machine.load, 1)) on \
        \(report.machine.cores) cores: look at how far the rounds are apart before you compare times.</p>

        """
    }
    return """
      <p class="warning"><b>This is a \(report.machine.configuration.escapedForHTML) build.</b> Its times would say \
      nothing, so there are none. For times: <code>swift run -c release compare --html FOLDER</code>.</p>

      """
  }

  private var failures: String {
    let lines = report.setups.flatMap { setup in
      setup.failures.map { "<li><b>\(setup.info.title.escapedForHTML)</b>: \($0.escapedForHTML)</li>\n" }
    }
    return lines.isEmpty ? "" : "<ul>\n\(lines.joined())</ul>\n"
  }
}

/// The style rules that these pages need in addition to the book's.
enum StyleSheet {
  static func text() throws -> String {
    try String(contentsOf: Bundle.module.bundleURL.appendingPathComponent("Resources/comparison.css"), encoding: .utf8)
  }
}
