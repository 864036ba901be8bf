/// Something that is measured of each set-up.
public struct Measure: Codable, Sendable, Equatable {
  /// Measures that are shown together.
  public enum Group: String, Codable, Sendable, CaseIterable {
    case code, time, work

    public var title: String {
      switch self {
      case .code: "Code and objects"
      case .time: "Time"
      case .work: "Work and what comes of it"
      }
    }
  }

  public var id: String
  /// A heading for a column: `longest stall`.
  public var title: String
  /// What exactly is measured, in a sentence.
  public var explanation: String
  /// `ms`, `books/s`, `MB`, `lines`, or empty for a count.
  public var unit: String
  public var group: Group
  public var isBetterLow: Bool
  /// Whether it is only measured in a release build.
  public var needsRelease: Bool

  public init(
    id: String, title: String, explanation: String, unit: String, group: Group, isBetterLow: Bool = true,
    needsRelease: Bool = false
  ) {
    self.id = id
    self.title = title
    self.explanation = explanation
    self.unit = unit
    self.group = group
    self.isBetterLow = isBetterLow
    self.needsRelease = needsRelease
  }
}

/// What came out of all rounds.
public struct MeasuredValue: Codable, Sendable, Equatable {
  /// One for each round, in their order.
  public var rounds: [Double]
  public var median: Double
  public var low: Double
  public var high: Double

  /// - Parameter rounds: At least one.
  public init(rounds: [Double]) {
    precondition(!rounds.isEmpty, "A measured value has at least one round.")
    let sorted = rounds.sorted()
    self.rounds = rounds
    low = sorted[0]
    high = sorted[sorted.count - 1]
    let middle = sorted.count / 2
    median = sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}

/// What a reader of the view context sees of what was written elsewhere.
public struct Visibility: Codable, Sendable, Equatable {
  /// When an object that the view context already had shows what a write has changed in it.
  public enum Moment: String, Codable, Sendable {
    /// Before the write has returned.
    case atOnce = "at once"
    /// By itself, after the main queue has had a turn.
    case afterTurn = "after a turn of the main queue"
    /// Only when somebody refreshes it.
    case afterRefresh = "not until refreshed"
    /// Not even then.
    case never = "never"
  }

  /// Whether a fetch in the view context finds new rows as soon as the write that made them has returned.
  public var fetchFindsNewRows: Bool
  public var changedObject: Moment
  /// How long after the write's return, in milliseconds; nil in a debug build, and if it did not change by itself.
  public var delay: Double?

  public init(fetchFindsNewRows: Bool, changedObject: Moment, delay: Double? = nil) {
    self.fetchFindsNewRows = fetchFindsNewRows
    self.changedObject = changedObject
    self.delay = delay
  }
}

/// A stretch of time in which a queue did one thing.
public struct TimelineEvent: Codable, Sendable, Equatable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The store is opened.
    case opening
    /// The first fetch of the view context.
    case fetching
    /// A block makes objects in a context.
    case writing
    /// A context saves.
    case saving
    /// A user's edit in the view context.
    case editing
    /// The main queue serviced nothing else for longer than a frame (16 ms).
    case stalled
  }

  /// `main` or `background`.
  public var queue: String
  public var kind: Kind
  /// Milliseconds since the set-up was asked to open.
  public var start: Double
  public var end: Double
  /// `books 1 to 500`, for a tooltip.
  public var detail: String?

  public init(queue: String, kind: Kind, start: Double, end: Double, detail: String? = nil) {
    self.queue = queue
    self.kind = kind
    self.start = start
    self.end = end
    self.detail = detail
  }
}
