import BenchmarkResults
import BookPages
import Comparison
import Foundation

/// The book's figures: what `compare --json` and `Scripts/benchmark --json` have recorded.
public struct RecordedRuns: RecordedFigures {
  /// The checkout, from which the set-ups' code is quoted.
  public let root: URL

  public init(root: URL) { self.root = root }

  public var styleSheet: String { get throws { try StyleSheet.text() } }

  public func html(of record: Data, snippets: PageFolder.Snippets) throws -> String? {
    if let report = try? ComparisonReport(json: record) { return try ComparisonPage(report, root: root).part(snippets) }
    return (try? BenchmarkReport(json: record)).map { BenchmarkPage($0, root: root).part }
  }
}
