import ArgumentParser
import BenchmarkResults
import Comparison
import ComparisonPages
import Foundation
import OutputFiles

/// The options for making pages.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the report as a page into this folder, whose index.html opens from the disk.", valueName: "folder"))
  var html: String?

  @Option(help: ArgumentHelp("Show a report that --json printed, instead of running anything.", valueName: "file"))
  var report: String?

  @Option(
    help: ArgumentHelp(
      "Show the goals of a run that Scripts/benchmark --json wrote, instead of running anything; with --html, a page of it.",
      valueName: "file"))
  var benchmarks: String?

  @Option(
    help: ArgumentHelp(
      "Find out again what is the same on every machine, and write it into this report, which keeps its times.",
      valueName: "file"))
  var refresh: String?

  func validate() throws {
    if [benchmarks, report, refresh].compactMap({ $0 }).count > 1 {
      throw ValidationError("--benchmarks, --report and --refresh each say what to show. Use one of them.")
    }
  }

  /// The saved report that is shown instead of a new run; nil if none is given.
  func savedReport() throws -> ComparisonReport? {
    try report.map { try ComparisonReport(json: try Data(contentsOf: URL(fileURLWithPath: $0))) }
  }

  /// Writes the page, if a folder is given.
  func write(_ report: ComparisonReport) throws {
    guard let html else { return }
    try ComparisonPage(report, root: try root()).write(into: folder(html))
  }

  /// Shows a benchmark run as a page or as text. Returns false if none is given.
  func showBenchmarks() throws -> Bool {
    guard let benchmarks else { return false }
    let results = try BenchmarkReport(json: try Data(contentsOf: URL(fileURLWithPath: benchmarks)))
    if let html {
      try BenchmarkPage(results, root: try root()).write(into: folder(html))
    } else {
      print(BenchmarkMarkdown(results).text)
    }
    return true
  }

  /// Updates the facts of a saved report. Returns false if none is given.
  func refreshReport(with facts: () throws -> ComparisonReport) throws -> Bool {
    guard let refresh else { return false }
    let file = URL(fileURLWithPath: refresh)
    let saved = try ComparisonReport(json: try Data(contentsOf: file))
    try OutputFile.write(try facts().takingTimes(from: saved).json(), to: file.path)
    print(
      "Written: \(refresh). Its times are those of \(saved.workload.rounds) rounds on \(saved.machine.date.formatted(.iso8601))."
    )
    return true
  }

  private func folder(_ path: String) -> URL { URL(fileURLWithPath: path, isDirectory: true) }

  private func root() throws -> URL {
    guard let sources = SetupSources.find() else {
      throw ComparisonFailure("A page quotes the sources. Run this inside the checkout.")
    }
    return sources.root
  }
}
