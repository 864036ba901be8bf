/// A figure that a driver prints: milliseconds under the operation's name, or bytes under `operation.what`.
struct Figure: Hashable {
  let variant: Variant
  let name: String

  init(_ variant: Variant, _ name: String) {
    self.variant = variant
    self.name = name
  }
}

/// What is asked of the stack: a bound on something computed from figures of one round.
struct Goal {
  enum Quantity {
    /// The first figure over the second, both of one round.
    case ratio(Figure, Figure)
    /// The first figure over the sum of the others, all of one round.
    case share(Figure, of: [Figure])
    /// By how much the first figure is above the second, both of one round, spread over the three properties of each
    /// model, in nanoseconds.
    case nanosecondsMore(Figure, Figure)
    /// Milliseconds spread over so many things of each book, in nanoseconds.
    case nanoseconds(Figure, perBook: Double)
    /// A figure without a change of unit.
    case plain(Figure)
    /// Bytes spread over the books.
    case bytesPerBook(Figure)
  }

  /// The operation under which the goal is shown.
  let operation: String
  let text: String
  let quantity: Quantity
  let bound: Double
  /// Whether the bound is a floor; else it is a ceiling.
  var isFloor = false
  /// What would be better still.
  var beyond: Double?
  /// Whether the bound itself is what would be better still: not reaching it is no miss.
  var isAmbition = false
  /// Whether it only stands beside another goal, and has no bound.
  var isComparison = false

  /// How far a value is on the wrong side of the bound, as a fraction of the bound; nil if it is not.
  func miss(_ value: Double) -> Double? {
    if isComparison { return nil }
    let excess = isFloor ? bound / value - 1 : value / bound - 1
    return excess > 0 ? excess : nil
  }

  func surpasses(_ value: Double) -> Bool {
    guard let beyond else { return false }
    return isFloor ? value >= beyond : value <= beyond
  }

  /// Strata takes at most `bound` times as long as another variant.
  private static func atMost(
    _ bound: Double, of other: Variant, _ operation: String, otherOperation: String? = nil,
    beyond: Double? = nil
  ) -> Goal {
    Goal(
      operation: operation, text: "Strata / \(other.title)\(otherOperation.map { " \($0)" } ?? "")",
      quantity: .ratio(Figure(.strata, operation), Figure(other, otherOperation ?? operation)), bound: bound,
      beyond: beyond)
  }

  /// Strata does at least `bound` times as much a second as another variant.
  private static func rateAtLeast(
    _ bound: Double, of other: Variant, _ operation: String, beyond: Double? = nil
  ) -> Goal {
    Goal(
      operation: operation, text: "rate, Strata / \(other.title)",
      quantity: .ratio(Figure(other, operation), Figure(.strata, operation)), bound: bound, isFloor: true,
      beyond: beyond)
  }

  /// How many times as many blocks a second a variant writes with group commit as one by one.
  private static func groupCommit(_ variant: Variant) -> Goal {
    Goal(
      operation: "writegroup", text: "rate, \(variant.title) / \(variant.title) writefull",
      quantity: .ratio(Figure(variant, "writefull"), Figure(variant, "writegroup")), bound: 8, isFloor: true,
      beyond: 12,
      isComparison: variant != .strata)
  }

  static let all: [Goal] = [
    atMost(1.7, of: .c, "insert", beyond: 1.5),
    atMost(0.4, of: .hand, "insert"),
    atMost(0.85, of: .statement, "insert"),
    atMost(1.3, of: .c, "batchinsert", beyond: 1.2),
    atMost(1.3, of: .c, "batchinsertobject", beyond: 1.2),
    Goal(
      operation: "import", text: "Strata / (Foundation decode + Strata insert)",
      quantity: .share(
        Figure(.strata, "import"), of: [Figure(.foundation, "decode"), Figure(.strata, "insert")]), bound: 1.2,
      beyond: 0.6),
    atMost(2.3, of: .c, "fetch"),
    atMost(0.5, of: .hand, "fetch"),
    atMost(0.32, of: .codable, "fetch"),
    Goal(
      operation: "fetch", text: "Strata / GRDB index",
      quantity: .ratio(Figure(.strata, "fetch"), Figure(.index, "fetch")), bound: 1.0, isAmbition: true),
    Goal(
      operation: "reread", text: "Strata, ns a property",
      quantity: .nanoseconds(Figure(.strata, "reread"), perBook: 7), bound: 10, beyond: 7),
    Goal(
      operation: "rereadkey", text: "Strata, ns a property",
      quantity: .nanoseconds(Figure(.strata, "rereadkey"), perBook: 7), bound: 25),
    atMost(3.0, of: .c, "faults", beyond: 2.5),
    atMost(2.0, of: .c, "fire", beyond: 1.7),
    atMost(0.15, of: .hand, "fire"),
    atMost(0.65, of: .strata, "batch", otherOperation: "fire", beyond: 0.55),
    atMost(1.3, of: .c, "update", beyond: 1.15),
    atMost(0.45, of: .changes, "update"),
    atMost(1.4, of: .c, "delete", beyond: 1.2),
    atMost(1.0, of: .hand, "delete"),
    atMost(1.8, of: .c, "indexed", beyond: 1.5),
    atMost(0.3, of: .hand, "indexed"),
    atMost(1.3, of: .c, "scan", beyond: 1.2),
    atMost(1.0, of: .hand, "scan"),
    atMost(1.3, of: .c, "any"),
    atMost(1.3, of: .c, "group"),
    Goal(
      operation: "parse", text: "Strata, µs a predicate", quantity: .plain(Figure(.strata, "parse")), bound: 5),
    atMost(1.0, of: .strata, "evaluate", otherOperation: "evaluateclosure"),
    rateAtLeast(1.0, of: .pool, "write1", beyond: 1.15),
    rateAtLeast(1.2, of: .pool, "write10", beyond: 1.4),
    rateAtLeast(1.2, of: .pool, "write100", beyond: 1.4),
    rateAtLeast(1.0, of: .pool, "writebeside"),
    groupCommit(.strata),
    groupCommit(.c),
    atMost(1.0, of: .hand, "traverse"),
    atMost(1.0, of: .hand, "prefetch"),
    atMost(1.5, of: .c, "tag"),
    atMost(2.5, of: .c, "shelve"),
    atMost(1.5, of: .c, "retag"),
    atMost(1.5, of: .c, "retagback"),
    atMost(2.0, of: .c, "move"),
    atMost(3.0, of: .c, "reorder"),
    atMost(1.5, of: .c, "migratedefault"),
    atMost(1.5, of: .c, "migratedrop"),
    atMost(1.5, of: .c, "migrateentity"),
    atMost(1.5, of: .c, "migratemany"),
    Goal(
      operation: "migratecustom", text: "Strata, ns an object",
      quantity: .nanoseconds(Figure(.strata, "migratecustom"), perBook: 1.1), bound: 30_000),
    Goal(
      operation: "modelinsert", text: "SwiftData / Core Data",
      quantity: .ratio(Figure(.models, "modelinsert"), Figure(.objects, "modelinsert")), bound: 1.2),
    Goal(
      operation: "modelfetch", text: "SwiftData / Core Data",
      quantity: .ratio(Figure(.models, "modelfetch"), Figure(.objects, "modelfetch")), bound: 1.5),
    Goal(
      operation: "modelread", text: "SwiftData - Core Data, ns a property",
      quantity: .nanosecondsMore(Figure(.models, "modelread"), Figure(.objects, "modelread")), bound: 40),
    Goal(
      operation: "modelread", text: "SwiftData - observation alone, ns a property",
      quantity: .nanosecondsMore(Figure(.models, "modelread"), Figure(.observed, "modelread")), bound: 40,
      isComparison: true),
    Goal(
      operation: "open", text: "Strata, ms", quantity: .plain(Figure(.strata, "open")), bound: 3, beyond: 1),
    Goal(
      operation: "memory", text: "Strata, heap bytes a book",
      quantity: .bytesPerBook(Figure(.strata, "memory.heap")), bound: 350, beyond: 280),
    Goal(
      operation: "memory", text: "Strata / GRDB index, resident",
      quantity: .ratio(Figure(.strata, "memory.rss"), Figure(.index, "memory.rss")), bound: 1.3),
  ]

  /// Bounds on instruction counts, which repeat where wall time does not: a run that misses one fails.
  static let gates: [Goal] = [
    atMost(1.45, of: .c, "insert"),
    atMost(2.3, of: .c, "fetch"),
  ]

  /// How far a row's ratio to C may move between the sizes of one run.
  static let greatestGrowth = 1.3

  /// How far the ratio to C of an operation on relationships may rise above the one at 10,000 volumes.
  static let greatestScaling = 1.5
}
