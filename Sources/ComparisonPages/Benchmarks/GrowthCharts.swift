import BenchmarkResults
import BookPages
import Foundation

/// How the time for one object changes with the number of objects: a drawing with logarithmic axes for each operation,
/// and a table with the ratios to C. A level line means that each object costs the same.
struct GrowthCharts {
  private let report: BenchmarkReport

  init(_ report: BenchmarkReport) { self.report = report }

  var html: String {
    """
    <p>The time for each book, or of the whole where the work does not grow with the books, at each number of books; both \
    axes are logarithmic. The table has Strata’s ratio to C. The goal is that the greatest ratio of a row is at most \
    \(Figures.fixed(report.greatestGrowth, 1)) times the least.</p>
    \(table)<ul class="legend">\(Self.lines.map { Self.legend($0.style, $0.title) }.joined())</ul>
    <div class="growths wide">
    \(operations.map(chart).joined())</div>

    """
  }

  // MARK: Data

  /// The operations that every run has timed.
  private var operations: [BenchmarkReport.Operation] {
    guard let first = report.runs.first else { return [] }
    return first.operations.filter { operation in
      report.runs.allSatisfy { $0.operation(operation.name)?.time(of: "strata") != nil }
    }
  }

  private static let lines: [(style: String, title: String)] = [
    ("c", "C"), ("grdb", "GRDB, its fastest way"), ("strata", "Strata"),
  ]

  private static func legend(_ style: String, _ title: String) -> String {
    "<li class=\"growth\"><svg viewBox=\"0 0 36 10\" style=\"width: 2.2rem\" aria-hidden=\"true\" focusable=\"false\">"
      + "<path class=\"curve \(style)\" d=\"M0 5H36\"/></svg> \(title.escapedForHTML)</li>\n"
  }

  /// Whether the operation has more work if there are more books.
  private static func growsWithBooks(_ operation: BenchmarkReport.Operation) -> Bool {
    operation.summary.contains(#/\bN\b/#)
  }

  /// Times in nanoseconds by size. For GRDB they are those of the variant that is fastest at the greatest size.
  private func points(_ style: String, _ operation: BenchmarkReport.Operation) -> [(size: Int, value: Double)] {
    let name = operation.name
    let isForEach = Self.growsWithBooks(operation)
    func row(_ run: BenchmarkReport.Run) -> BenchmarkReport.Row? {
      let rows = run.operation(name)?.rows.filter { $0.unit == "ms" } ?? []
      guard style == "grdb" else { return rows.first { $0.variant == style } }
      return rows.filter { !["c", "strata", "foundation"].contains($0.variant) }.min {
        $0.value.median < $1.value.median
      }
    }
    guard let variant = report.runs.max(by: { $0.size < $1.size }).flatMap(row)?.variant else { return [] }
    return report.runs.compactMap { run in
      run.operation(name)?.time(of: variant).map {
        (run.size, $0.value.median * 1e6 / (isForEach ? Double(run.size) : 1))
      }
    }.sorted { $0.size < $1.size }
  }

  private func chart(_ operation: BenchmarkReport.Operation) -> String {
    let lines = Self.lines.map { ($0.style, points($0.style, operation)) }.filter { !$0.1.isEmpty }
    let (drawing, text) = LogLogDrawing(lines: lines).svg(
      label: "\(operation.name), \(Self.growsWithBooks(operation) ? "nanoseconds for each book" : "nanoseconds")")
    return """
      <figure class="growth" id="growth-\(operation.name.escapedForHTML)">
      <figcaption><b>\(operation.name.escapedForHTML)</b>: \(operation.summary.escapedForHTML); \
      \(Self.growsWithBooks(operation) ? "time for each book" : "time of all")</figcaption>
      \(drawing)
      <p class="unseen">\(text.escapedForHTML)</p>
      </figure>

      """
  }

  // MARK: Ratios

  private var table: String {
    var table = HTMLTable(
      "Ratio to C by number of books",
      head: ["Operation"] + report.runs.map { Figures.grouped($0.size) } + ["Greatest / least", "Verdict"])
    for operation in operations {
      let ratios = report.runs.compactMap { $0.operation(operation.name)?.time(of: "strata")?.ratio?.median }
      guard ratios.count == report.runs.count, let least = ratios.min(), let greatest = ratios.max(), least > 0 else {
        continue
      }
      let growth = greatest / least
      table.add(
        ["<a href=\"#growth-\(operation.name.escapedForHTML)\">\(operation.name.escapedForHTML)</a>"]
          + ratios.map { Figures.fixed($0, 2) }
          + [
            Figures.fixed(growth, 2),
            growth <= report.greatestGrowth ? "met" : "<b class=\"failure\">missed</b>",
          ])
    }
    return table.html
  }
}

/// A drawing of lines with two logarithmic axes.
struct LogLogDrawing {
  /// The lines with the style class of each.
  let lines: [(style: String, points: [(size: Int, value: Double)])]

  private let width = 360.0
  private let height = 232.0
  // The positions of the axes.
  private let left = 58.0
  private let right = 346.0
  private let top = 10.0
  private let bottom = 200.0

  private var sizes: [Int] { Set(lines.flatMap(\.points).map(\.size)).sorted() }
  private var values: [Double] { lines.flatMap(\.points).map(\.value).filter { $0 > 0 } }
  /// The whole powers of ten that include all values.
  private var decades: ClosedRange<Int> {
    let low = Int(floor(log10(values.min() ?? 1)))
    return low...max(low + 1, Int(ceil(log10(values.max() ?? 10))))
  }

  /// The drawing, and its content as text.
  func svg(label: String) -> (drawing: String, text: String) {
    var content = ""
    for decade in decades {
      let y = self.y(pow(10, Double(decade)))
      content += "<path class=\"grid\" d=\"M\(text(left)) \(text(y))H\(text(right))\"/>"
      content +=
        "<text x=\"\(text(left - 6))\" y=\"\(text(y + 4))\" text-anchor=\"end\">\(Self.duration(decade))</text>"
    }
    for size in sizes {
      let x = self.x(size)
      content += "<path class=\"grid\" d=\"M\(text(x)) \(text(top))V\(text(bottom))\"/>"
      content += "<text x=\"\(text(x))\" y=\"\(text(bottom + 18))\" text-anchor=\"middle\">\(Self.count(size))</text>"
    }
    for line in lines {
      let places = line.points.filter { $0.value > 0 }.map { (x($0.size), y($0.value)) }
      let path = places.enumerated().map { "\($0.offset == 0 ? "M" : "L")\(text($0.element.0)) \(text($0.element.1))" }
      content += "<path class=\"curve \(line.style)\" d=\"\(path.joined())\"/>"
      content += places.map {
        "<circle class=\"dot curve \(line.style)\" cx=\"\(text($0.0))\" cy=\"\(text($0.1))\" r=\"3.5\"/>"
      }.joined()
    }
    let drawing =
      "<svg viewBox=\"0 0 \(Int(width)) \(Int(height))\" aria-hidden=\"true\" focusable=\"false\">\(content)</svg>"
    let sentences = lines.map { line in
      "\(line.style): "
        + line.points.map { "\(Figures.text($0.value)) ns at \(Figures.grouped($0.size))" }.joined(separator: ", ")
    }
    return (drawing, "\(label). " + sentences.joined(separator: "; ") + ".")
  }

  private func x(_ size: Int) -> Double {
    guard let first = sizes.first, let last = sizes.last, first < last else { return (left + right) / 2 }
    let share = log10(Double(size) / Double(first)) / log10(Double(last) / Double(first))
    return left + 14 + share * (right - left - 40)
  }

  private func y(_ value: Double) -> Double {
    let (low, high) = (Double(decades.lowerBound), Double(decades.upperBound))
    return bottom - (log10(value) - low) / (high - low) * (bottom - top)
  }

  private func text(_ value: Double) -> String { Figures.fixed(value, 1) }

  /// A power of ten as a time: `100 ns`, `1 µs`, …
  private static func duration(_ decade: Int) -> String {
    let (unit, base) = decade < 3 ? ("ns", 0) : decade < 6 ? ("µs", 3) : decade < 9 ? ("ms", 6) : ("s", 9)
    return "\(Figures.text(pow(10, Double(decade - base)))) \(unit)"
  }

  /// A count in short: `10k`, `1M`.
  static func count(_ size: Int) -> String {
    if size >= 1_000_000, size.isMultiple(of: 100_000) { return "\(Figures.text(Double(size) / 1e6))M" }
    if size >= 1000, size.isMultiple(of: 100) { return "\(Figures.text(Double(size) / 1e3))k" }
    return Figures.grouped(size)
  }
}
