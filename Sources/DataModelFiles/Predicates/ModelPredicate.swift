/// A predicate of a model file as a tree, as far as compiled models hold its like.
///
/// Models have predicates in fetch request templates, fetched properties, partial indexes and validation, and
/// expressions in derived attributes. The stack has a tree and a parser of its own, for the whole language and its
/// arguments; what this room cannot read stays text.
indirect enum ModelPredicate: Hashable, Sendable {
  case constant(Bool)
  case comparison(Comparison)
  case and([ModelPredicate])
  case or([ModelPredicate])
  case not(ModelPredicate)

  struct Comparison: Hashable {
    var left: ModelExpression
    var relation: Relation
    var right: ModelExpression
    var modifier = Modifier.direct
    var options: Options = []
  }

  /// Raw values as in `NSComparisonPredicate.Operator` and in archives.
  enum Relation: Int {
    case less = 0
    case lessOrEqual = 1
    case greater = 2
    case greaterOrEqual = 3
    case equal = 4
    case notEqual = 5
    case matches = 6
    case like = 7
    case beginsWith = 8
    case endsWith = 9
    case isIn = 10
    case contains = 99
    case between = 100

    /// Whether `[cd]` may stand behind it.
    var takesOptions: Bool { rawValue >= 4 && self != .between }
  }

  /// Raw values as in `NSComparisonPredicate.Modifier`.
  enum Modifier: Int {
    case direct = 0
    case all = 1
    case any = 2
  }

  /// Raw values as in `NSComparisonPredicate.Options`.
  struct Options: OptionSet, Hashable {
    var rawValue: Int
    static let caseInsensitive = Options(rawValue: 1)
    static let diacriticInsensitive = Options(rawValue: 2)
    static let normalized = Options(rawValue: 4)
    static let localeSensitive = Options(rawValue: 8)
    static let letters: [(Options, Character)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
    ]
  }
}

/// An expression of a model file as a tree.
indirect enum ModelExpression: Hashable, Sendable {
  case null
  case constant(DataModel.Value)
  case evaluatedObject
  case variable(String)
  /// A key path on the evaluated object, or on what another expression gives.
  case keyPath(String, of: ModelExpression)
  /// By selector: `canonical:`, `now`, `add:to:`.
  case function(String, [ModelExpression])
  /// A method of what another expression gives, by selector; mapping models have them.
  case method(String, of: ModelExpression, [ModelExpression])
  /// What a request finds in a context; mapping models have them.
  case fetch(ModelExpression, context: ModelExpression, countOnly: Bool)
  case aggregate([ModelExpression])
}
