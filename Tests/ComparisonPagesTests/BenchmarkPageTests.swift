import BenchmarkResults
import Foundation
import Testing

@testable import ComparisonPages

/// A report of three operations at three sizes. `open` has no figure of C's; `import` has memory beside its times, and
/// a figure beside its goals.
private func report(sizes: [Int] = [1_000, 10_000, 1_000_000], rounds: Int = 7, load: Double = 0.1) -> BenchmarkReport {
  func spread(_ median: Double) -> BenchmarkReport.Spread {
    BenchmarkReport.Spread(median: median, low: median * 0.9, high: median * 1.2)
  }
  func row(_ variant: String, _ title: String, _ value: Double, ratio: Double?) -> BenchmarkReport.Row {
    BenchmarkReport.Row(variant: variant, title: title, unit: "ms", value: spread(value), ratio: ratio.map(spread))
  }
  return BenchmarkReport(
    machine: BenchmarkReport.Machine(
      processor: "A processor <fast>", cores: 2, memory: 8_000_000_000, system: "Debian",
      date: Date(timeIntervalSince1970: 1_780_000_000), loadBefore: load, loadAfter: load, clock: "wall"),
    rounds: rounds,
    runs: sizes.map { size in
      let unit = Double(size) / 1000
      return BenchmarkReport.Run(
        size: size,
        operations: [
          BenchmarkReport.Operation(
            name: "fetch", summary: "fetch N books & read them",
            rows: [
              row("c", "C", unit, ratio: 1), row("hand", "GRDB hand", unit * 4, ratio: 4),
              row("index", "GRDB index", unit * 2, ratio: 2),
              row("strata", "Strata", unit * 2.5, ratio: size > 10_000 ? 3.5 : 2.5),
            ],
            goals: [
              BenchmarkReport.Goal(
                text: "Strata / C", bound: "<= 2.30", measured: spread(2.5), verdict: "MISSED by 9 %", isMissed: true)
            ]),
          BenchmarkReport.Operation(
            name: "open", summary: "open a store", rows: [row("strata", "Strata", 1.5, ratio: nil)], goals: []),
          BenchmarkReport.Operation(
            name: "import", summary: "import N books",
            rows: [
              row("strata", "Strata", unit * 3, ratio: nil),
              BenchmarkReport.Row(
                variant: "strata", title: "Strata, resident", unit: "bytes a book", value: spread(400), ratio: nil),
            ],
            goals: [
              BenchmarkReport.Goal(
                text: "C / C before", bound: "", measured: spread(13), verdict: "for comparison", isMissed: false)
            ]),
        ])
    }, greatestGrowth: 1.3)
}

private func page(_ report: BenchmarkReport) throws -> BuiltPage {
  try BuiltPage { try BenchmarkPage(report, root: projectRoot).write(into: $0) }
}

@Suite("The page of the benchmarks") struct BenchmarkPageTests {
  @Test func `A report comes back from its JSON as it was`() throws {
    #expect(try BenchmarkReport(json: report().json()) == report())
  }

  @Test func `Tags match, ids are used once, links lead somewhere, no cell is empty`() throws {
    let page = try page(report())
    #expect(page.unbalanced(page.index) == nil)
    let ids = try page.values(of: "id", in: page.index)
    #expect(ids.count == Set(ids).count)
    #expect(try page.deadLinks() == [])
    #expect(!page.cells(in: page.index).contains(""))
  }

  @Test func `Bars are multiples of C where C has a figure, else the figures`() throws {
    let page = try page(report(sizes: [1_000]))
    let fetch = try #require(section("fetch-1000", in: page.index))
    #expect(fetch.matches(of: #/<td class="value"><b>([^<]*)</#).map { $0.1 } == ["×1.00", "×4.00", "×2.00", "×2.50"])
    #expect(fetch.contains("2.50 ms"))
    #expect(fetch.contains("Fetch 1,000 books &amp; read them"))
    let open = try #require(section("open-1000", in: page.index))
    #expect(open.contains("<b>1.50 ms</b>"))
  }

  @Test func `What is no time stands below the bars, and so does a figure without a bound`() throws {
    let page = try page(report(sizes: [1_000]))
    let shown = try #require(section("import-1000", in: page.index))
    #expect(shown.matches(of: #/<td class="value"><b>([^<]*)</#).map { $0.1 } == ["3 ms"])
    #expect(shown.contains("<li>Strata, resident: 400 <small>(360–480)</small> bytes a book</li>"))
    #expect(shown.contains("<li>C / C before: 13 <small>(11.7–15.6)</small>, for comparison</li>"))
    #expect(!page.index.contains("<td>C / C before</td>"))
  }

  @Test func `As text a run is its goals, below the day and the machine`() throws {
    let text = BenchmarkMarkdown(report(sizes: [1_000])).text
    #expect(text.hasPrefix("28 May 2026, 20:26 UTC, 7 rounds, 2 cores of A processor <fast>, Debian\n"))
    #expect(text.contains("| `fetch` | Strata / C | 2.50 (2.25–3) | ≤ 2.30 | MISSED by 9 % |"))
    #expect(!text.contains("C / C before"))
  }

  @Test func `A run of one size has no section on growth`() throws {
    #expect(try !page(report(sizes: [1_000])).index.contains("id=\"growth\""))
  }

  @Test func `A missed goal stands out by its words`() throws {
    let page = try page(report(sizes: [1_000]))
    #expect(page.index.contains("<b class=\"failure\">MISSED by 9 %</b>"))
    #expect(page.index.contains("≤\u{A0}2.30"))
  }

  @Test func `Growth compares sizes, and draws GRDB by its fastest way`() throws {
    let page = try page(report())
    let cells = page.index.replacing(#/ data-head="[^"]*"/#, with: "")
    #expect(
      cells.contains("<td>2.50</td><td>2.50</td><td>3.50</td><td>1.40</td><td><b class=\"failure\">missed</b></td>"))
    let figure = try #require(section("growth-fetch", in: page.index, element: "figure"))
    #expect(figure.components(separatedBy: "<circle").count - 1 == 9)
    #expect(figure.contains("grdb: 2,000 ns at 1,000, 2,000 ns at 10,000, 2,000 ns at 1,000,000"))
    for label in ["1k", "10k", "1M", "1 µs", "10 µs"] { #expect(figure.contains(">\(label)</text>")) }
  }

  @Test func `A quick look and a busy machine are named`() throws {
    #expect(try !page(report()).index.contains("class=\"warning\""))
    #expect(try page(report(rounds: 3)).index.contains("quick look"))
    #expect(try page(report(load: 1.5)).index.contains("Others used the machine"))
  }
}

@Suite("Figures") struct FiguresTests {
  @Test func `Figures have three digits, and no more than make sense`() {
    #expect(
      [0.2137, 12.34, 123.4, 1240, 1_234_567.8, 7].map(Figures.text) == [
        "0.21", "12.3", "123", "1,240", "1,234,568", "7",
      ])
    #expect(Figures.grouped(-1234) == "−1,234")
    #expect(LogLogDrawing.count(2_500_000) == "2.50M")
  }
}
