import Foundation

/// A report for a terminal, at most 100 columns wide.
public struct ReportText {
  static let width = 100

  let report: ComparisonReport
  /// Whether to leave out the machine and everything else that differs between runs.
  let factsOnly: Bool

  public init(_ report: ComparisonReport, factsOnly: Bool = false) {
    self.report = report
    self.factsOnly = factsOnly
  }

  public var text: String {
    var lines = head
    lines += section("Time", timeTable)
    lines += section("Code and objects", codeTable)
    lines += section("Contexts, and what a reader of the view context sees", contextTable)
    lines += section("Work, and what comes of it", workTable)
    if !report.faults.isEmpty { lines += section("Faults", faultTables) }
    let failed = report.setups.filter { !$0.failures.isEmpty }
    if !failed.isEmpty {
      lines += section("Failed", failed.flatMap { setup in setup.failures.map { "\(setup.info.title): \($0)" } })
    }
    return lines.joined(separator: "\n")
  }

  private var head: [String] {
    let size = report.workload
    var lines = [
      "\(report.setups.count) set-ups; \(size.booksBefore) books in the file, \(size.books) imported in batches of \(size.batch)"
    ]
    if factsOnly { return lines }
    let machine = report.machine
    lines += [
      "\(machine.processor), \(machine.cores) cores, \(machine.memory / 1_000_000_000) GB, \(machine.system)",
      "\(Self.day(machine.date)), \(machine.configuration) build, \(size.rounds == 1 ? "1 round" : "\(size.rounds) rounds, taking turns")",
    ]
    if machine.configuration != "release" { lines += Self.debugWarning }
    if machine.isBusy, machine.configuration == "release" {
      lines += [
        "THE MACHINE IS BUSY (\(Self.figure(machine.load)) waiting on \(machine.cores) cores): times are longer than they should be."
      ]
    }
    return lines
  }

  static let debugWarning = [
    "",
    "**********************************************************************",
    "*  THIS IS A DEBUG BUILD. Its times would say nothing, so there are  *",
    "*  none. For times: swift run -c release compare                     *",
    "**********************************************************************",
  ]

  private static func day(_ date: Date) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = TimeZone(identifier: "UTC")
    formatter.dateFormat = "yyyy-MM-dd HH:mm 'UTC'"
    return formatter.string(from: date)
  }

  private func section(_ title: String, _ lines: [String]) -> [String] {
    guard !lines.isEmpty else { return [] }
    return ["", title, String(repeating: "-", count: title.count)] + lines
  }

  // MARK: Measures

  private var timeTable: [String] {
    let measures = report.measures.filter { $0.group == .time }
    guard !measures.isEmpty else { return [] }
    return tables(measures)
      + ["Medians; in parentheses the lowest and the highest round; x: times the best of the column."]
      + measures.flatMap { "\($0.title): \($0.explanation)".wrapped(to: Self.width) }
  }

  /// The measures in as many tables below each other as the width needs.
  private func tables(_ measures: [Measure]) -> [String] {
    var count = measures.count
    while count > 1, table(Array(measures.prefix(count))).contains(where: { $0.count > Self.width }) { count -= 1 }
    let rest = Array(measures.dropFirst(count))
    return table(Array(measures.prefix(count))) + [""] + (rest.isEmpty ? [] : tables(rest))
  }

  /// A row for each set-up, with the spread of its rounds and the multiple of the best value.
  private func table(_ measures: [Measure]) -> [String] {
    var table = TextTable([.left] + measures.map { _ in .left })
    table.add([""] + measures.map { "\($0.title), \($0.unit)" })
    let columns = measures.map { measure in cells(of: measure) }
    for (row, setup) in report.setups.enumerated() { table.add([setup.info.id] + columns.map { $0[row] }) }
    return table.lines
  }

  private func cells(of measure: Measure) -> [String] {
    var table = TextTable([.right, .right, .left])
    for setup in report.setups {
      guard let value = setup.values[measure.id] else {
        table.add(["-", "", ""])
        continue
      }
      let ratio = report.ratio(of: setup, to: measure).map { "x\(Self.ratio($0))" } ?? ""
      let spread = value.rounds.count > 1 ? "(\(Self.figure(value.low))-\(Self.figure(value.high)))" : ""
      table.add([Self.figure(value.median), ratio, spread])
    }
    return table.lines
  }

  private var codeTable: [String] {
    let objects = report.setups.first { !$0.objects.isEmpty }?.objects.map(\.object) ?? []
    var table = TextTable([.left, .right] + objects.map { _ in .left })
    table.add(["", "lines"] + objects)
    for setup in report.setups {
      let makers = objects.map { object in setup.objects.first { $0.object == object }?.maker ?? "-" }
      table.add([setup.info.id, setup.codeLines.map(String.init) ?? "-"] + makers)
    }
    return table.lines + ["Whose code makes each object: the set-up's own, or the container."]
  }

  private var contextTable: [String] {
    var table = TextTable([.left, .left, .left, .left])
    table.add(["", "contexts at work", "new rows", "a changed object shows"])
    for setup in report.setups {
      let contexts = setup.contexts.isEmpty ? ["-"] : setup.contexts.map { "\($0.count) on \($0.queue): \($0.role)" }
      let visibility = setup.visibility
      for (index, context) in contexts.enumerated() {
        let first = index == 0
        table.add([
          first ? setup.info.id : "", context,
          first ? visibility.map { $0.fetchFindsNewRows ? "found" : "not found" } ?? "-" : "",
          first ? visibility?.changedObject.rawValue ?? "-" : "",
        ])
      }
    }
    return table.lines
  }

  private var workTable: [String] {
    let measures = report.measures.filter { $0.group == .work }
    guard !measures.isEmpty else { return [] }
    var table = TextTable([.left] + measures.map { _ in .right })
    table.add([""] + measures.map(\.title))
    for setup in report.setups {
      table.add([setup.info.id] + measures.map { setup.values[$0.id].map { Self.figure($0.median) } ?? "-" })
    }
    return table.lines + measures.flatMap { "\($0.title): \($0.explanation)".wrapped(to: Self.width) }
  }

  // MARK: Faults

  /// A table for each fault: where it came to light, and what is in the file.
  private var faultTables: [String] {
    report.faults.enumerated().flatMap { index, fault in
      var table = TextTable([.left, .left, .left, .left, .left, .left])
      table.add(["", "comes to light", "error", "rows", "integrity", "goes on"])
      for setup in report.setups {
        guard let outcome = setup.outcomes[fault.id] else {
          table.add(["  " + setup.info.id, "-"])
          continue
        }
        table.add([
          "  " + setup.info.id, outcome.shortSentence.cut(to: 36), outcome.shortError, outcome.file.change,
          (outcome.file.detail ?? outcome.file.integrity).cut(to: 22),
          outcome.canWriteAfterwards.map { $0 ? "yes" : "no" } ?? "",
        ])
      }
      return (index == 0 ? [] : [""]) + (fault.title + ": " + fault.explanation).wrapped(to: Self.width) + table.lines
    }
  }

  // MARK: Figures

  /// Whole numbers, and all numbers from 100 on, without decimal places; others with one or two.
  static func figure(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e9 { return String(Int(value)) }
    if value >= 100 { return String(Int(value.rounded())) }
    return String(format: value >= 10 ? "%.1f" : "%.2f", value)
  }

  static func ratio(_ value: Double) -> String { String(format: value >= 10 ? "%.0f" : "%.1f", value) }
}

extension FaultOutcome {
  /// Why the fault doesn't apply, such as `a file's fault: does not apply`.
  var inapplicability: String {
    guard let note, note.hasSuffix(": does not apply.") else { return "does not apply" }
    return note.prefix(1).lowercased() + note.dropFirst().dropLast()
  }

  /// One line, such as `thrown: saveContext()`.
  var sentence: String {
    switch surface {
    case .none: "nothing fails"
    case .notApplicable: inapplicability
    case .ended: "ends: \(place)"
    case .thrown, .handler, .property, .log: "\(surface.rawValue): \(place)"
    }
  }

  /// The sentence, without the type's name if the line would be too long.
  var shortSentence: String {
    guard sentence.count > 36, let dot = place.firstIndex(of: "."), place[..<dot].allSatisfy(\.isLetter) else {
      return sentence
    }
    return sentence.replacingOccurrences(of: place, with: String(place[place.index(after: dot)...]))
  }

  /// The number of Core Data's error, or `own` for a set-up's own error.
  var shortError: String {
    guard let error else { return "" }
    guard let match = error.firstMatch(of: #/NSCocoaErrorDomain (\d+)/#) else { return "own" }
    return String(match.1)
  }
}

extension FaultOutcome.FileState {
  /// The change of the row count: `100 -> 101`.
  var change: String {
    if rowsBefore == nil, rowsAfter == nil { return "" }
    return "\(rowsBefore.map(String.init) ?? "none") -> \(rowsAfter.map(String.init) ?? "none")"
  }
}
