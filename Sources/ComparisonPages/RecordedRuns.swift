import BenchmarkResults
import BookPages
import Comparison
import Foundation

/// The figures for the book, from records that `compare --json` and `Scripts/benchmark --json` wrote.
public struct RecordedRuns: RecordedFigures {
  /// The root of the checkout, whose set-ups are quoted.
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

  /// The program that wrote a record. Each writes a list that the other doesn't.
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
