/// The facts that are the same on every machine, as Markdown tables. Set-ups with equal answers share a row.
public struct ReportMarkdown {
  private let report: ComparisonReport

  public init(_ report: ComparisonReport) { self.report = report }

  public var text: String {
    var parts = ["Code and objects", code, "Contexts, and what a reader of the view context sees", contexts]
    let measures = report.measures.filter { $0.group == .work }
    if !measures.isEmpty {
      parts += ["Work, and what comes of it", work(measures)]
      parts.append(measures.map { "- \($0.title): \($0.explanation)" }.joined(separator: "\n"))
    }
    for fault in report.faults { parts += ["\(fault.title): \(fault.explanation)", outcomes(of: fault)] }
    return parts.joined(separator: "\n\n")
  }

  private var code: String {
    let objects = report.setups.first { !$0.objects.isEmpty }?.objects.map(\.object) ?? []
    var table = SharedRows(report, head: ["lines"] + objects, listsFirst: true)
    for setup in report.setups {
      let makers = objects.map { object in setup.objects.first { $0.object == object }?.maker ?? "" }
      table.add(setup, [setup.codeLines.map(String.init) ?? ""] + makers)
    }
    return table.text
  }

  private var contexts: String {
    var table = SharedRows(report, head: ["contexts at work", "new rows", "a changed object shows"])
    for setup in report.setups {
      let contexts = setup.contexts.map { "\($0.count) on \($0.queue): \($0.role)" }.joined(separator: "<br>")
      let visibility = setup.visibility
      table.add(
        setup,
        [
          contexts, visibility.map { $0.fetchFindsNewRows ? "found" : "not found" } ?? "",
          visibility?.changedObject.rawValue ?? "",
        ])
    }
    return table.text
  }

  private func work(_ measures: [Measure]) -> String {
    var table = SharedRows(report, head: measures.map(\.title))
    for setup in report.setups {
      table.add(setup, measures.map { setup.values[$0.id].map { ReportText.figure($0.median) } ?? "" })
    }
    return table.text
  }

  private func outcomes(of fault: Fault) -> String {
    var table = SharedRows(report, head: ["comes to light", "error", "books", "the file", "goes on"])
    for setup in report.setups {
      guard let outcome = setup.outcomes[fault.id] else { continue }
      table.add(
        setup,
        [
          outcome.words, outcome.shortError, outcome.file.change.replacing("->", with: "→"),
          outcome.file.detail ?? outcome.file.integrity, outcome.canWriteAfterwards.map { $0 ? "yes" : "no" } ?? "",
        ])
    }
    return table.text
  }
}

extension FaultOutcome {
  /// How the fault came to light, without the place, which differs between set-ups.
  fileprivate var words: String {
    switch surface {
    case .thrown: "thrown"
    case .handler: "given to a handler"
    case .property: "kept in a property"
    case .log: "only in the log"
    case .ended: "ends: \(place)"
    case .none: "nothing fails"
    case .notApplicable: inapplicability
    }
  }
}

/// A table that merges equal rows. Columns that are empty in every row are left out.
private struct SharedRows {
  let count: Int
  let head: [String]
  /// Whether the first cell is ignored when rows are compared. A merged row then lists all first cells.
  let listsFirst: Bool
  private var rows: [(setups: [String], firsts: [String], cells: [String])] = []

  init(_ report: ComparisonReport, head: [String], listsFirst: Bool = false) {
    count = report.setups.count
    self.head = head
    self.listsFirst = listsFirst
  }

  mutating func add(_ setup: SetupReport, _ cells: [String]) {
    let key = Array(cells.dropFirst(listsFirst ? 1 : 0))
    let firsts = listsFirst ? [cells[0]] : []
    let name = "`\(setup.info.id)`"
    if let index = rows.firstIndex(where: { $0.cells == key }) {
      rows[index].setups.append(name)
      rows[index].firsts += firsts
    } else {
      rows.append(([name], firsts, key))
    }
  }

  var text: String {
    let cells = rows.map { row in
      [row.setups.count == count && count > 2 ? "all \(count)" : row.setups.joined(separator: ", ")]
        + (listsFirst ? [row.firsts.joined(separator: ", ")] : []) + row.cells
    }
    let shown = (0...head.count).filter { column in column == 0 || cells.contains { !$0[column].isEmpty } }
    let lines = [["set-up"] + head, Array(repeating: "---", count: head.count + 1)] + cells
    return lines.map { line in
      "| " + shown.map { line[$0].replacing("|", with: "\\|") }.joined(separator: " | ") + " |"
    }.joined(separator: "\n")
  }
}
