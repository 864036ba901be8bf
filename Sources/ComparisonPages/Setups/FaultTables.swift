import BookPages
import Comparison

/// What became of the faults: one table to look over, then each fault with all that was seen.
struct FaultTables {
  private let report: ComparisonReport

  init(_ report: ComparisonReport) { self.report = report }

  var html: String {
    "<p>Each fault was brought about in a process of its own, with a file of its own, which another program read afterwards.</p>\n"
      + overview + report.faults.map(details).joined()
  }

  private var overview: String {
    var table = HTMLTable(
      "Where each fault comes to light", head: ["Fault"] + report.setups.map { $0.info.title.escapedForHTML })
    for fault in report.faults {
      table.add(
        ["<a href=\"#fault-\(fault.id.escapedForHTML)\">\(fault.title.capitalizedFirst.escapedForHTML)</a>"]
          + report.setups.map { setup in setup.outcomes[fault.id].map { Self.word($0) } })
    }
    return table.html
  }

  private func details(_ fault: Fault) -> String {
    var table = HTMLTable(
      fault.title, head: ["Set-up", "It comes to light", "Error, and what a person reads", "The file", "Writes on"], isOfTexts: true)
    for setup in report.setups {
      guard let outcome = setup.outcomes[fault.id] else { continue }
      table.add([
        FactTables.link(setup),
        [Self.word(outcome), Self.place(outcome)].compactMap { $0 }.joined(separator: ":<br>"),
        Self.error(outcome), Self.file(outcome.file),
        outcome.canWriteAfterwards.map { $0 ? "yes" : "no" },
      ])
    }
    return """
      <h3 id="fault-\(fault.id.escapedForHTML)">\(fault.title.capitalizedFirst.escapedForHTML)</h3>
      <p>\(fault.explanation.escapedForHTML)</p>
      \(table.html)
      """
  }

  /// How a fault came to light, in a word or two.
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
    outcome.place.isEmpty ? nil : "<code>\(outcome.place.escapedForHTML)</code>"
  }

  private static func error(_ outcome: FaultOutcome) -> String {
    [outcome.error.map { "<code>\($0.escapedForHTML)</code>" }, outcome.message?.escapedForHTML, outcome.note?.escapedForHTML]
      .compactMap { $0 }.joined(separator: "<br>")
  }

  /// `100 books, then 101; ok`
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
