import Foundation

/// What a run of the benchmarks measured, as one value: the runner writes it as JSON, and a page is made of it.
///
/// Two packages compile this file: the project's, and that of the benchmarks, which is built only to run them.
public struct BenchmarkReport: Codable, Sendable, Equatable {
  public var machine: Machine
  /// How many rounds; in each, all variants of an operation took turns.
  public var rounds: Int
  /// One for each number of books, in the order in which they ran.
  public var runs: [Run]
  /// How far a ratio to C may move between the sizes of one run.
  public var greatestGrowth: Double

  public init(machine: Machine, rounds: Int, runs: [Run], greatestGrowth: Double) {
    self.machine = machine
    self.rounds = rounds
    self.runs = runs
    self.greatestGrowth = greatestGrowth
  }

  /// Where and when it ran.
  public struct Machine: Codable, Sendable, Equatable {
    public var processor: String
    public var cores: Int
    /// Bytes.
    public var memory: Int
    public var system: String
    /// When the run began.
    public var date: Date
    /// The load averages over a minute, before and after. Above a third of the cores, the machine had other work too.
    public var loadBefore: Double
    public var loadAfter: Double
    /// `wall` or `processor`.
    public var clock: String

    public init(
      processor: String, cores: Int, memory: Int, system: String, date: Date, loadBefore: Double, loadAfter: Double,
      clock: String
    ) {
      self.processor = processor
      self.cores = cores
      self.memory = memory
      self.system = system
      self.date = date
      self.loadBefore = loadBefore
      self.loadAfter = loadAfter
      self.clock = clock
    }
  }

  /// What was measured with one number of books.
  public struct Run: Codable, Sendable, Equatable {
    public var size: Int
    public var operations: [Operation]

    public init(size: Int, operations: [Operation]) {
      self.size = size
      self.operations = operations
    }

    public func operation(_ name: String) -> Operation? { operations.first { $0.name == name } }
  }

  public struct Operation: Codable, Sendable, Equatable {
    public var name: String
    /// What it does; `N` stands for the number of books.
    public var summary: String
    public var rows: [Row]
    public var goals: [Goal]

    public init(name: String, summary: String, rows: [Row], goals: [Goal]) {
      self.name = name
      self.summary = summary
      self.rows = rows
      self.goals = goals
    }

    /// The time of a variant.
    public func time(of variant: String) -> Row? { rows.first { $0.variant == variant && $0.unit == "ms" } }
  }

  /// A figure of one variant.
  public struct Row: Codable, Sendable, Equatable {
    /// As the drivers name it: `c`, `hand`, `strata`.
    public var variant: String
    /// For readers: `GRDB hand`.
    public var title: String
    /// `ms`, or `bytes a book`.
    public var unit: String
    public var value: Spread
    /// Times the same round's figure of C; nil where C has none.
    public var ratio: Spread?

    public init(variant: String, title: String, unit: String, value: Spread, ratio: Spread?) {
      self.variant = variant
      self.title = title
      self.unit = unit
      self.value = value
      self.ratio = ratio
    }
  }

  /// The median over rounds, and its ends.
  public struct Spread: Codable, Sendable, Equatable {
    public var median: Double
    public var low: Double
    public var high: Double

    public init(median: Double, low: Double, high: Double) {
      self.median = median
      self.low = low
      self.high = high
    }
  }

  /// A goal and what came of it.
  public struct Goal: Codable, Sendable, Equatable {
    /// What is bounded: `Strata / C`.
    public var text: String
    /// The bound with its sign: `<= 2.30`. Empty for a figure that only stands beside a goal.
    public var bound: String
    public var measured: Spread
    /// `met`, `met, and beyond`, `MISSED by 12 %`, `for comparison`.
    public var verdict: String
    public var isMissed: Bool

    public init(text: String, bound: String, measured: Spread, verdict: String, isMissed: Bool) {
      self.text = text
      self.bound = bound
      self.measured = measured
      self.verdict = verdict
      self.isMissed = isMissed
    }
  }

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
