/// A quantity that is measured for each set-up.
public struct Measure: Codable, Sendable, Equatable {
  /// The groups in which measures are shown.
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
  /// A column heading: `longest stall`.
  public var title: String
  /// Explains the measure in a sentence.
  public var explanation: String
  /// `ms`, `books/s`, `MB`, `lines`, or empty for a count.
  public var unit: String
  public var group: Group
  public var isBetterLow: Bool
  /// Whether it is measured in release builds only.
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

/// The values of all rounds.
public struct MeasuredValue: Codable, Sendable, Equatable {
  /// One value for each round, in order.
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

/// What the view context shows of changes that were written elsewhere.
public struct Visibility: Codable, Sendable, Equatable {
  /// When an object in the view context shows a change that was written elsewhere.
  public enum Moment: String, Codable, Sendable {
    /// Before the write returns.
    case atOnce = "at once"
    /// Without help, after the main queue had a turn.
    case afterTurn = "after a turn of the main queue"
    /// Only after the object is refreshed.
    case afterRefresh = "not until refreshed"
    /// Not even then.
    case never = "never"
  }

  /// Whether a fetch in the view context finds new rows right after the write that inserted them returns.
  public var fetchFindsNewRows: Bool
  public var changedObject: Moment
  /// Milliseconds from the write's return until the object showed the change. Nil in a debug build, and if it needed
  /// help.
  public var delay: Double?

  public init(fetchFindsNewRows: Bool, changedObject: Moment, delay: Double? = nil) {
    self.fetchFindsNewRows = fetchFindsNewRows
    self.changedObject = changedObject
    self.delay = delay
  }
}

/// A period in which a queue did one thing.
public struct TimelineEvent: Codable, Sendable, Equatable {
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The store is being opened.
    case opening
    /// The view context fetches for the first time.
    case fetching
    /// A block makes objects in a context.
    case writing
    /// A context saves.
    case saving
    /// A user edits an object of the view context.
    case editing
    /// The main queue did nothing else for longer than a frame, 16 ms.
    case stalled
  }

  /// `main` or `background`.
  public var queue: String
  public var kind: Kind
  /// Milliseconds since the set-up was asked to open.
  public var start: Double
  public var end: Double
  /// Text for a tooltip: `books 1 to 500`.
  public var detail: String?

  public init(queue: String, kind: Kind, start: Double, end: Double, detail: String? = nil) {
    self.queue = queue
    self.kind = kind
    self.start = start
    self.end = end
    self.detail = detail
  }
}
