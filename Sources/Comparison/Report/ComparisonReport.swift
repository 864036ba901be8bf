import Foundation

/// The results of one run of `compare`. The terminal, `--json` and the page show the same report.
///
/// All of it is observed: times are measured, facts are recorded while the set-ups run, and lines of code are counted
/// in the sources.
public struct ComparisonReport: Codable, Sendable, Equatable {
  /// Increased when the JSON's form changes.
  public static let currentFormat = 1

  public var format: Int
  public var machine: Machine
  public var workload: WorkloadSize
  /// The set-ups in the order of their chapters, in which they are shown.
  public var setups: [SetupReport]
  /// The measures in the order in which they are shown. Every set-up has a value for each, or a reason why it has none.
  public var measures: [Measure]
  /// The faults in the order in which they are shown. Every set-up has an outcome for each.
  public var faults: [Fault]

  public init(
    format: Int = ComparisonReport.currentFormat, machine: Machine, workload: WorkloadSize, setups: [SetupReport],
    measures: [Measure], faults: [Fault]
  ) {
    self.format = format
    self.machine = machine
    self.workload = workload
    self.setups = setups
    self.measures = measures
    self.faults = faults
  }

  public func setup(_ id: String) -> SetupReport? { setups.first { $0.info.id == id } }

  /// How many times worse a set-up's value is than the best one. Nil if there is no value, or if one of the two is
  /// zero.
  public func ratio(of setup: SetupReport, to measure: Measure) -> Double? {
    let medians = setups.compactMap { $0.values[measure.id]?.median }
    let best = measure.isBetterLow ? medians.min() : medians.max()
    guard let best, let own = setup.values[measure.id]?.median, best > 0, own > 0 else { return nil }
    return measure.isBetterLow ? own / best : best / own
  }

  /// The report as JSON, with sorted keys and times in ISO 8601.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }

  /// - Throws: `ComparisonFailure` for a set-up whose id or code a page could not quote; an error of the decoder.
  public init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Self.self, from: json)
    for setup in setups { try setup.info.checkNames() }
  }
}

/// Where and when a report was made, and how busy the machine was.
public struct Machine: Codable, Sendable, Equatable {
  /// The processor's name from the system, or "unknown processor".
  public var processor: String
  public var cores: Int
  /// The physical memory in bytes.
  public var memory: Int
  /// The operating system and its version.
  public var system: String
  /// `release` or `debug`. A report of a debug build has no times.
  public var configuration: String
  /// When the run began.
  public var date: Date
  /// The system's load average of the last minute: how many programs ran or waited for a core.
  public var load: Double

  /// Whether other programs needed the cores as well. The times are then too long, and vary.
  public var isBusy: Bool { load > Double(cores) }

  public init(
    processor: String, cores: Int, memory: Int, system: String, configuration: String, date: Date, load: Double = 0
  ) {
    self.load = load
    self.processor = processor
    self.cores = cores
    self.memory = memory
    self.system = system
    self.configuration = configuration
    self.date = date
  }
}

/// The amount of work for each set-up.
public struct WorkloadSize: Codable, Sendable, Equatable {
  /// The number of books in the file before a set-up opens it.
  public var booksBefore: Int
  /// The number of books to import.
  public var books: Int
  /// The number of books in each write, and so in each save.
  public var batch: Int
  /// How many times each set-up is measured. All set-ups take turns in each round.
  public var rounds: Int

  public init(booksBefore: Int = 1_000, books: Int = 10_000, batch: Int = 2_500, rounds: Int = 3) {
    self.booksBefore = booksBefore
    self.books = books
    self.batch = batch
    self.rounds = rounds
  }
}

/// One set-up, and everything that was found out about it.
public struct SetupReport: Codable, Sendable, Equatable {
  public var info: SetupInfo
  /// Lines of the set-up's code without empty lines and comments; nil without the sources.
  public var codeLines: Int?
  /// The same for each step, by `SetupStep.Kind.rawValue`.
  public var codeLinesOfSteps: [String: Int]
  /// Who makes each of the stack's objects: model, coordinator, store, contexts and container.
  public var objects: [MadeObject]
  /// The contexts that the set-up used, with their queues.
  public var contexts: [ContextFact]
  /// Measured values, by `Measure.id`.
  public var values: [String: MeasuredValue]
  /// What the view context shows of other contexts' writes, and when.
  public var visibility: Visibility?
  /// The events of one round, for a drawing.
  public var timeline: [TimelineEvent]
  /// Outcomes of the faults, by `Fault.id`.
  public var outcomes: [String: FaultOutcome]
  /// What went wrong during the measurement; usually empty. A set-up with failures has no measured values.
  public var failures: [String]

  public init(
    info: SetupInfo, codeLines: Int? = nil, codeLinesOfSteps: [String: Int] = [:], objects: [MadeObject] = [],
    contexts: [ContextFact] = [], values: [String: MeasuredValue] = [:], visibility: Visibility? = nil,
    timeline: [TimelineEvent] = [], outcomes: [String: FaultOutcome] = [:], failures: [String] = []
  ) {
    self.info = info
    self.codeLines = codeLines
    self.codeLinesOfSteps = codeLinesOfSteps
    self.objects = objects
    self.contexts = contexts
    self.values = values
    self.visibility = visibility
    self.timeline = timeline
    self.outcomes = outcomes
    self.failures = failures
  }
}
