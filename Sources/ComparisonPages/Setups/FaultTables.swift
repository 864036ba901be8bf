import BookPages
import Comparison

/// The outcomes of the faults: one table for all, then the details of each fault.
struct FaultTables {
  private let report: ComparisonReport

  init(_ report: ComparisonReport) { self.report = report }

  var html: String {
    "<p>Each fault was brought about in a process of its own, with a file of its own, which another program read afterwards.</p>\n"
      + overview + report.faults.map(details).joined()
  }

  private var overview: String {
    var table = HTMLTable(
      "Where each fault comes to light", head: ["Fault", "Where it comes to light, and in which set-ups"])
    for fault in report.faults {
      table.add([
        "<a href=\"#fault-\(fault.id.escapedForHTML)\">\(fault.title.capitalizedFirst.escapedForHTML)</a>", ways(fault),
      ])
    }
    return table.html
  }

  /// The set-ups by outcome, a line for each: `thrown: Actor, Parent and child`.
  private func ways(_ fault: Fault) -> String {
    var ways: [(word: String, setups: [String])] = []
    for setup in report.setups {
      guard let word = setup.outcomes[fault.id].map(Self.word) else { continue }
      if let index = ways.firstIndex(where: { $0.word == word }) {
        ways[index].setups.append(setup.info.title)
      } else {
        ways.append((word, [setup.info.title]))
      }
    }
    return ways.map { way in
      let isAll = way.setups.count == report.setups.count && report.setups.count > 1
      return "<b>\(way.word)</b>: \(isAll ? "all" : way.setups.joined(separator: ", ").escapedForHTML)"
    }.joined(separator: "<br>")
  }

  private func details(_ fault: Fault) -> String {
    var table = HTMLTable(
      fault.title, head: ["Set-up", "It comes to light", "Error, and what a person reads", "The file", "Writes on"],
      isOfTexts: true)
    // Set-ups with the same outcome share a row.
    var rows: [(setups: [String], cells: [String?])] = []
    for setup in report.setups {
      guard let outcome = setup.outcomes[fault.id] else { continue }
      let cells: [String?] = [
        [Self.word(outcome), Self.place(outcome)].compactMap { $0 }.joined(separator: ":<br>"),
        Self.error(outcome), Self.file(outcome.file),
        outcome.canWriteAfterwards.map { $0 ? "yes" : "no" },
      ]
      if let index = rows.firstIndex(where: { $0.cells == cells }) {
        rows[index].setups.append(FactTables.link(setup))
      } else {
        rows.append(([FactTables.link(setup)], cells))
      }
    }
    for row in rows { table.add([row.setups.joined(separator: ",<br>")] + row.cells) }
    return """
      <h3 id="fault-\(fault.id.escapedForHTML)">\(fault.title.capitalizedFirst.escapedForHTML)</h3>
      <p>\(fault.explanation.escapedForHTML)</p>
      \(table.html)
      """
  }

  /// How a fault came to light, in a few words.
  static func word(_ outcome: FaultOutcome) -> String {
    switch outcome.surface {
    case .thrown: "thrown"
    case .handler: "given to a handler"
    case .property: "kept in a property"
    case .log: "only written to the log"
    case .ended: "the process ends"
    case .none: "nothing fails"
    case .notApplicable: "does not apply"
    }
  }

  private static func place(_ outcome: FaultOutcome) -> String? {
    outcome.place.isEmpty ? nil : code(outcome.place)
  }

  /// A name as code. It may break after each part, because the table has five columns.
  private static func code(_ name: String) -> String {
    let html = name.escapedForHTML.replacing(#/[.(:](?=\w)/#) { "\($0.output)<wbr>" }
    return "<code>\(html)</code>"
  }

  private static func error(_ outcome: FaultOutcome) -> String {
    [
      outcome.error.map(code), outcome.message.map { withoutUUIDs($0).escapedForHTML },
      outcome.note?.escapedForHTML,
    ]
    .compactMap { $0 }.joined(separator: "<br>")
  }

  /// A message without UUIDs. They are random, and would make equal outcomes look different.
  private static func withoutUUIDs(_ message: String) -> String {
    message.replacing(#/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/#, with: "…")
  }

  /// The file's state: `100 books, then 101; ok`.
  private static func file(_ file: FaultOutcome.FileState) -> String {
    let rows: String? =
      switch (file.rowsBefore, file.rowsAfter) {
      case (let before?, let after?) where before == after: "\(Figures.grouped(after)) books, as before"
      case (let before?, let after?): "\(Figures.grouped(before)) books, then \(Figures.grouped(after))"
      case (nil, let after?): "\(Figures.grouped(after)) books"
      case (_, nil): nil
      }
    return [rows, file.integrity, file.detail].compactMap { $0?.escapedForHTML }.joined(separator: "; ")
  }
}
