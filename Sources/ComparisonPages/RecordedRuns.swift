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
    switch try? JSONDecoder().decode(Kind.self, from: record) {
    case .comparison: try ComparisonPage(ComparisonReport(json: record), root: root).part(snippets)
    case .benchmark: BenchmarkPage(try BenchmarkReport(json: record), root: root).part
    case nil: nil
    }
  }

  /// Which program has written a record. Each writes a list that the other lacks.
  private enum Kind: Decodable {
    case comparison
    case benchmark

    private enum CodingKeys: CodingKey {
      case setups
      case runs
    }

    init(from decoder: any Decoder) throws {
      let lists = try decoder.container(keyedBy: CodingKeys.self)
      if lists.contains(.setups) {
        self = .comparison
      } else if lists.contains(.runs) {
        self = .benchmark
      } else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no list of runs or set-ups"))
      }
    }
  }
}
