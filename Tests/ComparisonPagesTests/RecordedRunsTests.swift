import BookPages
import BookText
import Comparison
import ComparisonPages
import Foundation
import Testing

/// The runs that the book shows.
@Suite("Runs that were recorded") struct RecordedRunsTests {
  private static let folder = projectRoot.appendingPathComponent("Chapters/I-SetUpsCompared")

  private func recorded() throws -> ComparisonReport {
    try ComparisonReport(json: try Data(contentsOf: Self.folder.appendingPathComponent("measured.json")))
  }

  /// `book check` runs the program and compares what it prints with this transcript.
  @Test func `What is the same on every machine is what the set-ups do now`() throws {
    let url = projectRoot.appendingPathComponent("Chapters/08-Comparison/tables.transcript")
    let transcript = try String(contentsOf: url, encoding: .utf8)
    let facts = transcript.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)[1]
    #expect(
      try ReportMarkdown(recorded()).text == facts.trimmingCharacters(in: .newlines),
      "Run: swift run compare --refresh Chapters/I-SetUpsCompared/measured.json")
  }

  @Test func `Its times were measured in a release build, in rounds that took turns`() throws {
    let report = try recorded()
    #expect(report.machine.configuration == "release")
    #expect(report.workload.rounds >= 7)
    for setup in report.setups {
      #expect(setup.failures == [], "\(setup.info.id)")
      #expect(!setup.timeline.isEmpty, "\(setup.info.id)")
      for measure in report.measures { #expect(setup.values[measure.id] != nil, "\(setup.info.id) \(measure.id)") }
    }
  }

  @Test func `A record that lacks something is refused with what it lacks, and no record is taken for one`() throws {
    let runs = RecordedRuns(root: projectRoot)
    let pages = PageFolder(book: try BookText.Book(root: projectRoot), title: "", colophon: "", styleSheet: "")
    let snippets = pages.snippets()
    #expect(try runs.html(of: Data("{}".utf8), snippets: snippets) == nil)
    #expect(try runs.html(of: Data("no JSON".utf8), snippets: snippets) == nil)
    for record in [#"{"setups": []}"#, #"{"runs": []}"#] {
      #expect(throws: DecodingError.self) { try runs.html(of: Data(record.utf8), snippets: snippets) }
    }
  }

  @Test func `A refreshed report has new facts and keeps its times`() throws {
    let old = try recorded()
    var facts = old
    facts.machine.configuration = "debug"
    facts.workload.rounds = 1
    facts.measures.removeAll(where: \.needsRelease)
    for index in facts.setups.indices {
      facts.setups[index].values = facts.setups[index].values.filter { id, _ in facts.measures.contains { $0.id == id }
      }
      facts.setups[index].timeline = []
      facts.setups[index].visibility?.delay = nil
      facts.setups[index].codeLines = 7
    }
    var expected = old
    for index in expected.setups.indices { expected.setups[index].codeLines = 7 }
    #expect(try facts.takingTimes(from: old) == expected)

    facts.setups.removeLast()
    #expect(throws: ComparisonFailure.self) { try facts.takingTimes(from: old) }
  }
}
