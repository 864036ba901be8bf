import Foundation
import Testing

@testable import Comparison

@Suite("The report")
struct ReportTests {
  static func example() throws -> ComparisonReport {
    let url = try #require(Bundle.module.url(forResource: "example", withExtension: "json"))
    return try ComparisonReport(json: try Data(contentsOf: url))
  }

  @Test("A report comes back from its JSON as it was")
  func roundTrip() throws {
    let report = try Self.example()
    #expect(try ComparisonReport(json: report.json()) == report)
  }

  @Test("A report whose ids or places of code are more than names is refused")
  func hostileNames() throws {
    let report = try Self.example()
    func refusal(_ change: (inout SetupInfo) -> Void) throws -> String? {
      var changed = report
      change(&changed.setups[0].info)
      let json = try changed.json()
      let failure = #expect(throws: ComparisonFailure.self) { try ComparisonReport(json: json) }
      return failure?.description
    }
    for id in ["", "a{} b", "</style>", "a\n"] {
      let sentence = try refusal { $0.id = id }
      #expect(
        sentence
          == "The report has a set-up with the id \(id.debugDescription): an id has letters, digits and hyphens.")
    }
    for (file, name) in [
      ("/etc/passwd", "a"), ("Sources/../../secret", "a"), ("Sources/a.swift", "a\n```\n<script>"),
    ] {
      let sentence = try refusal { $0.steps = [SetupStep(.store, [.region(name, in: file)])] }
      #expect(sentence?.hasSuffix("which is no place in the checkout.") == true, "\(sentence ?? "-")")
    }
  }

  @Test("The example has a value for each measure and an outcome for each fault")
  func exampleIsComplete() throws {
    let report = try Self.example()
    #expect(report.format == ComparisonReport.currentFormat)
    #expect(report.setups.count == 9)
    for setup in report.setups {
      #expect(setup.failures == [], "\(setup.info.id)")
      for measure in report.measures { #expect(setup.values[measure.id] != nil, "\(setup.info.id) \(measure.id)") }
      for fault in report.faults { #expect(setup.outcomes[fault.id] != nil, "\(setup.info.id) \(fault.id)") }
    }
  }

  @Test("The median of an even number of rounds lies between the two in the middle")
  func medians() {
    #expect(MeasuredValue(rounds: [3, 1, 2]).median == 2)
    #expect(MeasuredValue(rounds: [4, 1, 2, 10]).median == 3)
    let one = MeasuredValue(rounds: [5])
    #expect([one.low, one.median, one.high] == [5, 5, 5])
  }

  @Test("A ratio is at least 1, whichever end is the better one")
  func ratios() throws {
    let report = try Self.example()
    for measure in report.measures {
      let ratios = report.setups.compactMap { report.ratio(of: $0, to: measure) }
      #expect(ratios.allSatisfy { $0 >= 1 }, "\(measure.id)")
    }
    let throughput = try #require(report.measures.first { $0.id == "throughput" })
    #expect(report.setups.contains { report.ratio(of: $0, to: throughput) == 1 })
  }

  @Test("The tables fit a terminal of 100 columns and have no blanks at the ends of lines")
  func width() throws {
    let lines = ReportText(try Self.example()).text.components(separatedBy: "\n")
    #expect(lines.filter { $0.count > ReportText.width } == [])
    #expect(lines.filter { $0.hasSuffix(" ") } == [])
  }

  @Test("The tables show each set-up in each section, and each figure of the report")
  func figures() throws {
    let report = try Self.example()
    let text = ReportText(report).text
    for setup in report.setups {
      let rows = text.components(separatedBy: "\n").filter {
        $0.trimmingCharacters(in: .whitespaces).hasPrefix("\(setup.info.id) ")
      }
      #expect(rows.count >= 4 + report.faults.count, "\(setup.info.id)")
      for measure in report.measures {
        let figure = ReportText.figure(try #require(setup.values[measure.id]).median)
        #expect(rows.contains { $0.contains(figure) }, "\(setup.info.id) \(measure.id) \(figure)")
      }
    }
  }

  @Test("In Markdown, set-ups with the same answers share a row, and each stands once in each table")
  func markdown() throws {
    let report = try Self.example()
    let tables = ReportMarkdown(report).text.components(separatedBy: "\n\n").filter { $0.hasPrefix("|") }
    #expect(tables.count == 3 + report.faults.count)
    for table in tables {
      let lines = table.components(separatedBy: "\n")
      let columns = lines[0].count { $0 == "|" }
      #expect(lines.allSatisfy { $0.count { $0 == "|" } == columns }, "\(lines[0])")
      if table.contains("| all \(report.setups.count) |") { continue }
      for setup in report.setups {
        #expect(table.components(separatedBy: "`\(setup.info.id)`").count == 2, "\(setup.info.id) in \(lines[0])")
      }
    }
  }

  @Test("A debug build's report says so loudly, and facts alone name no machine")
  func debugBuild() throws {
    var report = try Self.example()
    #expect(!ReportText(report).text.contains("DEBUG"))
    report.machine.configuration = "debug"
    #expect(ReportText(report).text.contains("THIS IS A DEBUG BUILD"))
    let facts = ReportText(report, factsOnly: true).text
    #expect(!facts.contains(report.machine.processor))
    #expect(!facts.contains("DEBUG"))
  }
}
