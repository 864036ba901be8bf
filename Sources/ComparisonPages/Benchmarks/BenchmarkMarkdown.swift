import BenchmarkResults
import Foundation

/// The goals of a benchmark run as a Markdown table, below a line that names the machine and the date.
public struct BenchmarkMarkdown {
  private let report: BenchmarkReport

  public init(_ report: BenchmarkReport) { self.report = report }

  public var text: String { ([machine] + report.runs.map(goals)).joined(separator: "\n\n") }

  private var machine: String {
    let machine = report.machine
    return """
      \(Figures.date(machine.date)), \(report.rounds) rounds, \(machine.cores) cores of \(machine.processor), \(machine.system)
      load average \(Figures.fixed(machine.loadBefore, 1)) before and \(Figures.fixed(machine.loadAfter, 1)) after
      """
  }

  private func goals(_ run: BenchmarkReport.Run) -> String {
    let rows = run.operations.flatMap { operation in
      operation.goals.filter { !$0.bound.isEmpty }.map { goal in
        "| `\(operation.name)` | \(goal.text) | \(Self.spread(goal.measured)) | \(Self.readable(goal.bound)) | \(goal.verdict) |"
      }
    }
    return """
      \(Figures.grouped(run.size)) books

      | operation | what is bounded | measured | goal | verdict |
      | --- | --- | --- | --- | --- |
      \(rows.joined(separator: "\n"))
      """
  }

  private static func spread(_ spread: BenchmarkReport.Spread) -> String {
    let (low, high) = (Figures.text(spread.low), Figures.text(spread.high))
    return Figures.text(spread.median) + (low == high ? "" : " (\(low)–\(high))")
  }

  private static func readable(_ bound: String) -> String {
    bound.replacing("<=", with: "≤").replacing(">=", with: "≥")
  }
}
