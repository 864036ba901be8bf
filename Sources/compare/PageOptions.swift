import ArgumentParser
import BenchmarkResults
import Comparison
import ComparisonPages
import Foundation

/// The options that make pages, and making them.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Write the report as a page into this folder, whose index.html opens from the disk.", valueName: "folder"))
  var html: String?

  @Option(help: ArgumentHelp("Show a report that --json printed, instead of running anything.", valueName: "file"))
  var report: String?

  @Option(
    help: ArgumentHelp(
      "Make a page of the figures that Scripts/benchmark --json wrote, instead of running anything.",
      valueName: "file"))
  var benchmarks: String?

  func validate() throws {
    if benchmarks != nil, html == nil { throw ValidationError("--benchmarks needs --html FOLDER.") }
    if benchmarks != nil, report != nil { throw ValidationError("Use either --benchmarks or --report, not both.") }
  }

  /// The report that is to be shown instead of one of a run.
  func savedReport() throws -> ComparisonReport? {
    try report.map { try ComparisonReport(json: try Data(contentsOf: URL(fileURLWithPath: $0))) }
  }

  /// Makes the page if one is wanted.
  func write(_ report: ComparisonReport) throws {
    guard let html else { return }
    try ComparisonPage(report, root: try root()).write(into: folder(html))
  }

  /// Makes the page of a benchmark run. Returns false if none is wanted.
  func writeBenchmarks() throws -> Bool {
    guard let benchmarks, let html else { return false }
    let results = try BenchmarkReport(json: try Data(contentsOf: URL(fileURLWithPath: benchmarks)))
    try BenchmarkPage(results, root: try root()).write(into: folder(html))
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
