/// The results of all rounds, by set-up.
struct ResultsOfRounds {
  private var results: [String: [WorkloadResult]] = [:]
  private var statements: [String: Int] = [:]
  private var failures: [String: [String]] = [:]

  mutating func add(_ outcome: ComparisonRun.WorkloadOutcome, of setup: String) {
    if let result = outcome.result { results[setup, default: []].append(result) }
    if let failure = outcome.failure { failures[setup, default: []].append(failure) }
  }

  /// Adds the count of the run that printed its SQL. Its times don't count.
  mutating func add(statementsOf setup: String, _ outcome: ComparisonRun.WorkloadOutcome) {
    if outcome.result != nil { statements[setup] = outcome.statements }
    if let failure = outcome.failure { failures[setup, default: []].append(failure) }
  }

  func report(_ info: SetupInfo, sources: SetupSources?, measures: [Measure]) -> SetupReport {
    var report = SetupReport(info: info)
    if let sources {
      report.codeLines = sources.lineCount(of: info)
      for step in info.steps { report.codeLinesOfSteps[step.kind.rawValue] = sources.lineCount(of: step) }
      report.objects = sources.objects(of: info)
    }
    // A failure that repeats in each round is reported once.
    report.failures = (failures[info.id] ?? []).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    if let lines = report.codeLines { report.values["lines"] = MeasuredValue(rounds: [Double(lines)]) }
    guard report.failures.isEmpty, let results = results[info.id], let first = results.first else { return report }
    report.contexts = first.contexts
    report.visibility = first.visibility
    report.timeline = first.timeline
    if let count = statements[info.id] { report.values["statements"] = MeasuredValue(rounds: [Double(count)]) }
    for measure in measures {
      guard let read = Measure.reading[measure.id] else { continue }
      report.values[measure.id] = MeasuredValue(rounds: results.map(read))
    }
    return report
  }
}

extension Measure {
  /// All measures, in the order in which they are shown.
  static let all = [
    Measure(
      id: "lines", title: "lines", explanation: "Lines of the set-up's own code, without comments and empty lines.",
      unit: "lines", group: .code),
    Measure(
      id: "firstFetch", title: "first fetch",
      explanation: "From the call that opens the store until the first 100 books are there to be shown.", unit: "ms",
      group: .time, needsRelease: true),
    Measure(
      id: "openingStall", title: "stall, opening",
      explanation:
        "The longest time in which the main queue did not get to a timer that was due, up to the first fetch.",
      unit: "ms", group: .time, needsRelease: true),
    Measure(
      id: "stall", title: "stall, import", explanation: "The same from the first fetch to the import's end.",
      unit: "ms",
      group: .time, needsRelease: true),
    Measure(
      id: "delay99", title: "delay p99",
      explanation: "99 of 100 ticks of a millisecond's timer on the main queue were less late.",
      unit: "ms", group: .time, needsRelease: true),
    Measure(
      id: "throughput", title: "import", explanation: "Books for each second in which a write was under way.",
      unit: "books/s", group: .time, isBetterLow: false, needsRelease: true),
    Measure(
      id: "memory", title: "peak memory", explanation: "The most memory that the process had resident at once.",
      unit: "MB", group: .time, needsRelease: true),
    Measure(
      id: "statements", title: "statements", explanation: "Lines of SQL that the store ran, from opening to closing.",
      unit: "", group: .work),
    Measure(
      id: "saves", title: "saves", explanation: "Saves of all contexts, those into a parent included.", unit: "",
      group: .work),
    Measure(
      id: "mainSaves", title: "on main", explanation: "Saves that ran on the main queue.", unit: "", group: .work),
    Measure(
      id: "conflicts", title: "conflicts",
      explanation: "Edits of the user whose save was refused, since the import had changed the same book.", unit: "",
      group: .work),
    Measure(
      id: "unasked", title: "unasked",
      explanation: "Edits of the user that a save of the import wrote before the user saved.", unit: "", group: .work),
  ]

  static let reading: [String: @Sendable (WorkloadResult) -> Double] = [
    "firstFetch": { $0.firstFetch },
    "openingStall": { $0.openingStall },
    "stall": { $0.longestStall },
    "delay99": { $0.percentile99 },
    "memory": { Double($0.peakMemory) / 1_000_000 },
    "saves": { Double($0.saves) },
    "mainSaves": { Double($0.mainSaves) },
    "conflicts": { Double($0.conflicts) },
    "unasked": { Double($0.savedUnasked) },
    "throughput": { $0.booksPerSecond },
  ]
}

extension WorkloadResult {
  var booksPerSecond: Double { importTime > 0 ? Double(books) / importTime * 1000 : 0 }
}
