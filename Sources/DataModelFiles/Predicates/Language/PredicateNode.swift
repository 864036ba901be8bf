import Foundation

/// A predicate as a tree. The parser makes it, the printer prints it, the evaluator compiles
/// it, and stores translate it.
///
/// `NONE a.b == c` is represented as `not(ANY a.b == c)`, which means the same.
indirect enum PredicateNode: Hashable, Sendable {
  case constant(Bool)
  case and([PredicateNode])
  case or([PredicateNode])
  case not(PredicateNode)
  case comparison(Comparison)
  case block(BlockPredicate)
}

/// `left comparator right`, for example `ANY tags.name BEGINSWITH[cd] "a"`.
struct Comparison: Hashable, Sendable {
  var left: ExpressionNode
  var comparator: Comparator
  var right: ExpressionNode
  var modifier: Modifier
  var options: Options
  /// The name of the method, for `customSelector` only.
  var selector: String?

  init(
    _ left: ExpressionNode, _ comparator: Comparator, _ right: ExpressionNode,
    modifier: Modifier = .direct, options: Options = [], selector: String? = nil
  ) {
    self.left = left
    self.comparator = comparator
    self.right = right
    self.modifier = modifier
    self.options = options
    self.selector = selector
  }

  /// The raw values are those of `NSComparisonPredicate.Operator`.
  enum Comparator: UInt, Sendable {
    case lessThan = 0
    case lessThanOrEqualTo = 1
    case greaterThan = 2
    case greaterThanOrEqualTo = 3
    case equalTo = 4
    case notEqualTo = 5
    case matches = 6
    case like = 7
    case beginsWith = 8
    case endsWith = 9
    case `in` = 10
    case customSelector = 11
    case contains = 99
    case between = 100
  }

  /// The raw values are those of `NSComparisonPredicate.Modifier`.
  enum Modifier: UInt, Sendable {
    case direct = 0
    case all = 1
    case any = 2
  }

  /// How strings are compared. The first four raw values are those of
  /// `NSComparisonPredicate.Options`. Without options, strings are compared byte by byte, as
  /// SQLite does.
  struct Options: OptionSet, Hashable, Sendable {
    var rawValue: UInt
    /// `[c]`
    static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`
    static let diacriticInsensitive = Options(rawValue: 2)
    /// `[n]`: both sides are already normalized, so they are compared byte by byte. It
    /// overrides `[c]` and `[d]`.
    static let normalized = Options(rawValue: 4)
    /// `[l]`
    static let localeSensitive = Options(rawValue: 8)
    /// `[w]`: matches whole words only, in string operators.
    static let word = Options(rawValue: 16)
  }
}

/// A predicate that is Swift code. It can be evaluated in memory only; no store can translate
/// it. `@unchecked Sendable`: the closure belongs to the program, and is called where the
/// predicate is evaluated.
final class BlockPredicate: Hashable, @unchecked Sendable {
  /// Receives the evaluated object as the program knows it, and the variables.
  let body: (Any?, [String: Any]?) -> Bool

  init(_ body: @escaping (Any?, [String: Any]?) -> Bool) { self.body = body }

  static func == (left: BlockPredicate, right: BlockPredicate) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
