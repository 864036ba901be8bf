import Foundation

/// Everything that one run of `compare` found out, as one value: what the terminal shows, what `--json` writes, and
/// what the page is made of.
///
/// Nothing in it is a judgement by hand: figures are measured, facts are read off while the set-ups run, and lines of
/// code are counted in the sources.
public struct ComparisonReport: Codable, Sendable, Equatable {
  /// Raised when the form of the JSON changes.
  public static let currentFormat = 1

  public var format: Int
  public var machine: Machine
  public var workload: WorkloadSize
  /// In the order in which they are shown: that of the chapters.
  public var setups: [SetupReport]
  /// What was measured, in the order in which it is shown. Every set-up has a value for each, or a reason for none.
  public var measures: [Measure]
  /// The faults that were brought about, in the order in which they are shown. Every set-up has an outcome for each.
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

  /// A value as a multiple of the best one's; nil where there is none, or where the best is zero.
  public func ratio(of setup: SetupReport, to measure: Measure) -> Double? {
    let medians = setups.compactMap { $0.values[measure.id]?.median }
    let best = measure.isBetterLow ? medians.min() : medians.max()
    guard let best, let own = setup.values[measure.id]?.median, best > 0, own > 0 else { return nil }
    return measure.isBetterLow ? own / best : best / own
  }

  /// The report as JSON: keys sorted, times in ISO 8601.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }

  public init(json: Data) throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    self = try decoder.decode(Self.self, from: json)
  }
}

/// Where and when a report was made.
public struct Machine: Codable, Sendable, Equatable {
  /// The processor's name as the system gives it; "unknown processor" where it gives none.
  public var processor: String
  public var cores: Int
  /// Bytes.
  public var memory: Int
  /// The operating system and its version.
  public var system: String
  /// `release` or `debug`. A debug build's report has no values in seconds.
  public var configuration: String
  /// When the run began.
  public var date: Date
  /// How many programs waited for a core in the minute before, on an average.
  public var load: Double

  /// Whether others than the comparison wanted the cores: its times are then too long, and vary.
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

/// How much each set-up had to do.
public struct WorkloadSize: Codable, Sendable, Equatable {
  /// Books in the file before a set-up opens it.
  public var booksBefore: Int
  /// Books to import.
  public var books: Int
  /// Books to a write, and so to a save.
  public var batch: Int
  /// How many times each set-up was measured; the rounds of all set-ups take turns.
  public var rounds: Int

  public init(booksBefore: Int = 1_000, books: Int = 10_000, batch: Int = 2_500, rounds: Int = 3) {
    self.booksBefore = booksBefore
    self.books = books
    self.batch = batch
    self.rounds = rounds
  }
}

/// One set-up, and all that is known of it.
public struct SetupReport: Codable, Sendable, Equatable {
  public var info: SetupInfo
  /// Lines of the set-up's code, without empty lines and comments; nil when the sources are not there.
  public var codeLines: Int?
  /// The same for each step, by `SetupStep.Kind.rawValue`.
  public var codeLinesOfSteps: [String: Int]
  /// Model, coordinator, store, contexts and container: whose code makes each.
  public var objects: [MadeObject]
  /// The contexts that were seen at work, with their queues.
  public var contexts: [ContextFact]
  /// By `Measure.id`.
  public var values: [String: MeasuredValue]
  /// What a reader of the view context sees, and when.
  public var visibility: Visibility?
  /// One round's events, for a drawing.
  public var timeline: [TimelineEvent]
  /// By `Fault.id`.
  public var outcomes: [String: FaultOutcome]
  /// What went wrong while the set-up was measured; empty if all went well. A set-up with failures has no values.
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
