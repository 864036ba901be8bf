import BookText
import Foundation
import Testing

@testable import Comparison
@testable import ComparisonPages

/// A report that a run of `compare` has printed.
private func example() throws -> ComparisonReport {
  let url = projectRoot.appendingPathComponent("Tests/ComparisonTests/example.json")
  return try ComparisonReport(json: try Data(contentsOf: url))
}

private func page(_ report: ComparisonReport) throws -> BuiltPage {
  try BuiltPage { try ComparisonPage(report, root: projectRoot).write(into: $0) }
}

@Suite("The page of the comparison") struct ComparisonPageTests {
  @Test func `Tags match, ids are used once, and links lead somewhere`() throws {
    let page = try page(try example())
    for (file, html) in page.files {
      #expect(page.unbalanced(html) == nil, "\(file)")
      let ids = try page.values(of: "id", in: html)
      #expect(ids.count == Set(ids).count, "\(file)")
    }
    #expect(try page.deadLinks() == [])
  }

  @Test func `No cell is empty, and each step of each set-up has code or says why not`() throws {
    let report = try example()
    let page = try page(report)
    #expect(!page.cells(in: page.index).contains(""))
    let steps = page.index.components(separatedBy: "<div class=\"step\">").dropFirst()
    #expect(steps.count == report.setups.count * SetupStep.Kind.allCases.count)
    for step in steps { #expect(step.contains("<figure") || step.contains("<p>")) }
  }

  @Test func `Each quoted piece has a link to itself and one to its lines`() throws {
    let report = try example()
    let page = try page(report)
    let places = report.setups.flatMap(\.info.steps).flatMap(\.code)
    #expect(page.index.components(separatedBy: "<figure class=\"snippet\" id=").count - 1 == places.count)
    #expect(page.index.components(separatedBy: "<a class=\"source\" href=\"source/").count - 1 == places.count)
  }

  @Test func `The charts show the report's figures`() throws {
    let report = try example()
    let page = try page(report)
    for measure in report.measures where measure.group == .time {
      let chart = try #require(section("measure-\(measure.id)", in: page.index))
      let values = report.setups.compactMap { $0.values[measure.id] }
      let shown = chart.matches(of: #/<td class="value"><b>([^<]*)<\/b>/#).map { String($0.1) }
      #expect(shown == values.map { "\(Figures.text($0.median)) \(measure.unit)" })
      let limit = try #require(values.map(\.high).max())
      let bars = chart.matches(of: #/<rect class="bar" x="0" y="1" width="([^"]*)"/#).compactMap { Double($0.1) }
      #expect(bars.count == values.count)
      for (bar, value) in zip(bars, values) { #expect(abs(bar - value.median / limit * 100) < 0.01) }
    }
  }

  @Test func `A timeline has a rectangle for each event, in the lane of its queue`() throws {
    let report = try example()
    let page = try page(report)
    for setup in report.setups {
      let figure = try #require(section("queues-\(setup.info.id)", in: page.index, element: "figure"))
      let queues = Set(setup.timeline.map(\.queue))
      let lanes = figure.components(separatedBy: "<div class=\"lane\">").dropFirst()
      #expect(lanes.count == queues.count)
      for queue in queues {
        let lane = try #require(lanes.first { $0.hasPrefix("<span>\(queue)</span>") })
        #expect(lane.components(separatedBy: "<rect ").count - 1 == setup.timeline.count { $0.queue == queue })
      }
    }
  }

  @Test func `Every fault is in the overview and has all outcomes`() throws {
    let report = try example()
    let page = try page(report)
    for fault in report.faults {
      #expect(page.index.contains("href=\"#fault-\(fault.id)\""))
      let details = try #require(page.index.components(separatedBy: "<h3 id=\"fault-\(fault.id)\">").dropFirst().first)
      let table = details.components(separatedBy: "</table>")[0]
      for setup in report.setups {
        #expect(table.contains("href=\"#code-\(setup.info.id)\""), "\(fault.id), \(setup.info.id)")
      }
    }
  }

  @Test func `Set-ups of which the same was seen share a row, whatever UUIDs their stores drew`() throws {
    var report = try example()
    let fault = try #require(report.faults.first).id
    for index in report.setups.indices {
      report.setups[index].outcomes[fault] = report.setups[0].outcomes[fault]
      report.setups[index].outcomes[fault]?.message = "No \(UUID().uuidString), and no <b>."
    }
    let page = try page(report)
    let details = try #require(page.index.components(separatedBy: "<h3 id=\"fault-\(fault)\">").dropFirst().first)
    let table = details.components(separatedBy: "</table>")[0]
    #expect(table.contains("No …, and no &lt;b&gt;."))
    #expect(table.components(separatedBy: "<tr>").count == 3)
  }

  @Test func `A debug build's page says so and has no times`() throws {
    var report = try example()
    report.machine.configuration = "debug"
    report.measures.removeAll(where: \.needsRelease)
    for index in report.setups.indices { report.setups[index].timeline = [] }
    let page = try page(report)
    #expect(page.index.contains("<b>This is a debug build.</b>"))
    #expect(!page.index.contains("id=\"times\""))
    #expect(!page.index.contains("id=\"queues\""))
    #expect(page.unbalanced(page.index) == nil)
  }

  @Test func `What a report says stands in the page as text`() throws {
    var report = try example()
    report.setups[0].failures = ["<script> & \"more\""]
    let page = try page(report)
    #expect(page.index.contains("&lt;script&gt; &amp; &quot;more&quot;"))
  }

  @Test func `Code that is gone is named with its file`() throws {
    var report = try example()
    let place = CodePlace.region("gone", in: "Chapters/01-ManualStack/CoreDataStack.swift")
    report.setups[0].info.steps[0].code = [place]
    #expect {
      _ = try page(report)
    } throws: { error in
      (error as? BookProblem)?.description.hasPrefix("Chapters/01-ManualStack/CoreDataStack.swift: there is no region")
        == true
    }
  }
}

/// The element with this id, to its end.
func section(_ id: String, in html: String, element: String = "section") -> String? {
  guard let start = html.range(of: "id=\"\(id)\"") else { return nil }
  return html[start.upperBound...].components(separatedBy: "</\(element)>").first
}
