import BenchmarkResults
import BookPages
import BookText
import Foundation

/// The page of a benchmark run. It shows this module, GRDB and C at the same work, the goals, and how the ratios change
/// with the number of books.
public struct BenchmarkPage {
  public let report: BenchmarkReport
  /// The root of the checkout.
  public let root: URL

  public init(_ report: BenchmarkReport, root: URL) {
    self.report = report
    self.root = root
  }

  public static let title = "The stack against others"

  /// Writes `index.html` and its resources into `folder`, whose pages it replaces at the end. The page opens from the
  /// disk and needs no script.
  ///
  /// - Throws: `PagesProblem` if `folder` has no pages but something else.
  public func write(into folder: URL) throws {
    let pages = PageFolder(
      book: try Book(root: root), title: "Strata", colophon: Self.colophon, styleSheet: try StyleSheet.text())
    pages.add(
      "index.html", title: Self.title, content: "<h1>\(Self.title)</h1>\n" + explanation + part,
      headings: sections.map(\.heading))
    try pages.write(into: folder)
  }

  /// The same content for a page that has its own title and says what is compared.
  var part: String { machine + sections.map { $0.heading.html + $0.content }.joined() }

  static let colophon =
    "Figures on this page come from one run of <code>Scripts/benchmark</code> on the machine that is named above."

  private typealias Section = (heading: PageFolder.Heading, content: String)

  private var sections: [Section] {
    var sections: [Section] = []
    if !goals.isEmpty { sections.append((PageFolder.Heading(id: "goals", title: "The goals"), goals)) }
    if report.runs.count > 1 {
      sections.append((PageFolder.Heading(id: "growth", title: "Growth"), GrowthCharts(report).html))
    }
    return sections
      + report.runs.map { run in
        (
          PageFolder.Heading(id: "books-\(run.size)", title: "\(Figures.grouped(run.size)) books"),
          run.operations.map { chart($0, run) }.joined()
        )
      }
  }

  private var explanation: String {
    """
    <p>The same work on the same data: <b>C</b> is a tight loop on SQLite, optimized by the compiler, which keeps \
    nothing; <b>GRDB</b> is a library for SQLite, used in several ways; <b>Strata</b> is a program written for Core Data, \
    on this module. All have the same tables and settings, what they read is added up and must be equal, and what they \
    wrote is read back. A ratio is taken within a round, where both sides share the machine’s good and bad phases; what \
    is shown is the median of \(report.rounds) \(report.rounds == 1 ? "round" : "rounds").</p>

    """
  }

  private var machine: String {
    let machine = report.machine
    return """
      <p class="machine">\(Figures.date(machine.date)), \(report.rounds) \(report.rounds == 1 ? "round" : "rounds"). \
      \(machine.processor.escapedForHTML), \(machine.cores) cores, \
      \(Figures.memory(machine.memory)) of memory, \(machine.system.escapedForHTML). \
      \(machine.clock == "wall" ? "Time as a clock on the wall shows it" : "Processor time"). Load average \
      \(Figures.fixed(machine.loadBefore, 2)) before, \(Figures.fixed(machine.loadAfter, 2)) after.</p>

      """ + warnings
  }

  private var warnings: String {
    var sentences: [String] = []
    if report.rounds < 7 {
      sentences.append("Fewer than seven rounds are a quick look: only large differences mean anything.")
    }
    if max(report.machine.loadBefore, report.machine.loadAfter) > Double(report.machine.cores) / 3 {
      sentences.append("Others used the machine at the same time: look at the ratios, and how far they spread.")
    }
    return sentences.isEmpty ? "" : "<p class=\"warning\">\(sentences.joined(separator: " "))</p>\n"
  }

  // MARK: Goals

  /// The number of books for which goals are set. If there is no such run, the run with the nearest number is judged.
  private static let sizeOfGoals = 100_000

  private var goals: String {
    func distance(_ run: BenchmarkReport.Run) -> Double { abs(log10(Double(run.size) / Double(Self.sizeOfGoals))) }
    guard let run = report.runs.min(by: { distance($0) < distance($1) }) else { return "" }
    var table = HTMLTable("Goals", head: ["Operation", "What is bounded", "Measured", "Goal", "Verdict"])
    var isEmpty = true
    for operation in run.operations {
      for goal in operation.goals where !goal.bound.isEmpty {
        isEmpty = false
        table.add([
          "<a href=\"#\(Self.id(operation, run))\">\(operation.name.escapedForHTML)</a>", goal.text.escapedForHTML,
          Self.spread(goal.measured), goal.bound.readable.escapedForHTML, Self.verdict(goal),
        ])
      }
    }
    let sizes =
      run.size == Self.sizeOfGoals
      ? "With \(Figures.grouped(run.size)) books, for which the goals are set."
      : "The goals are set for \(Figures.grouped(Self.sizeOfGoals)) books; this is with \(Figures.grouped(run.size)), where what a save or a fetch costs at all has another weight."
    return isEmpty ? "" : "<p>\(sizes)</p>\n" + table.html
  }

  private static func verdict(_ goal: BenchmarkReport.Goal) -> String {
    goal.isMissed ? "<b class=\"failure\">\(goal.verdict.escapedForHTML)</b>" : goal.verdict.escapedForHTML
  }

  // MARK: An operation

  private static func id(_ operation: BenchmarkReport.Operation, _ run: BenchmarkReport.Run) -> String {
    "\(operation.name)-\(run.size)".escapedForHTML
  }

  private func chart(_ operation: BenchmarkReport.Operation, _ run: BenchmarkReport.Run) -> String {
    // If C has a value, bars show multiples of it; otherwise they show the values.
    let hasRatios = operation.rows.contains { $0.ratio != nil && $0.variant != "c" }
    // If there are times, other quantities have another scale and are listed as text.
    let isTimed = operation.rows.contains { $0.unit == "ms" }
    let others = operation.rows.filter { isTimed && $0.unit != "ms" }.map { row in
      "<li>\(row.title.escapedForHTML): \(Self.spread(row.value)) \(row.unit.escapedForHTML)</li>\n"
    }
    let bars = operation.rows.filter { !isTimed || $0.unit == "ms" }.map { row -> BarChart.Bar in
      let drawn = hasRatios ? row.ratio ?? row.value : row.value
      let value = "\(Figures.text(row.value.median)) \(row.unit)"
      return BarChart.Bar(
        name: row.title.escapedForHTML, median: drawn.median, low: drawn.low, high: drawn.high,
        value: hasRatios ? Figures.ratio(drawn.median) : value,
        details: [Self.ends(drawn), hasRatios ? value : nil].compactMap { $0 }.joined(separator: "; "),
        isReference: row.variant == "c", isOurs: row.variant == "strata")
    }
    let goals = operation.goals.map { goal in
      let bound = goal.bound.isEmpty ? "" : "goal \(goal.bound.readable.escapedForHTML): "
      return "<li>\(goal.text.escapedForHTML): \(Self.spread(goal.measured)), \(bound)\(Self.verdict(goal))</li>\n"
    }
    let summary = operation.summary.replacing(#/\bN\b/#, with: Figures.grouped(run.size))
    return """
      <section class="chart wide" id="\(Self.id(operation, run))">
      <h3>\(operation.name.escapedForHTML)</h3>
      <p>\(summary.capitalizedFirst.escapedForHTML)\(hasRatios ? "; times C" : "").</p>
      \(BarChart(label: operation.name, bars: bars).html())\(Self.list(others + goals))</section>

      """
  }

  private static func list(_ items: [String]) -> String {
    items.isEmpty ? "" : "<ul class=\"goals\">\n\(items.joined())</ul>\n"
  }

  private static func spread(_ spread: BenchmarkReport.Spread) -> String {
    "\(Figures.text(spread.median))\(ends(spread).map { " <small>(\($0))</small>" } ?? "")"
  }

  /// Nil if both ends have the same text.
  private static func ends(_ spread: BenchmarkReport.Spread) -> String? {
    let (low, high) = (Figures.text(spread.low), Figures.text(spread.high))
    return low == high ? nil : "\(low)–\(high)"
  }
}

extension String {
  /// A bound as a book prints it on one line: `≤ 2.30`.
  fileprivate var readable: String {
    replacing("<=", with: "≤").replacing(">=", with: "≥").replacing(" ", with: "\u{A0}")
  }
}
