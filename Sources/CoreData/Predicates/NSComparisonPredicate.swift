import Foundation

// The extensions are of `NSCopying`, to which Foundation's class conforms: an extension of the class by its own name
// would warn, and a conformance to a protocol of ours needs one. That they are of a protocol lets an initializer set
// `self`.
extension NSCopying where Self: FoundationComparisonPredicate {
  /// Makes the comparison `left operator right`. A convenience initializer of a subclass without stored properties may
  /// call it.
  public init(
    leftExpression: FoundationExpression, rightExpression: FoundationExpression,
    modifier: FoundationComparisonPredicate.Modifier = .direct, type: FoundationComparisonPredicate.Operator,
    options: FoundationComparisonPredicate.Options = []
  ) {
    let comparison = Comparison(
      ExpressionNode(value: leftExpression), Comparison.Comparator(type),
      ExpressionNode(value: rightExpression),
      modifier: Comparison.Modifier(rawValue: modifier.rawValue) ?? .direct,
      options: Comparison.Options(rawValue: options.rawValue))
    self = NSPredicate.make(.comparison(comparison), as: Self.self)
  }

  /// Makes a comparison by a method of the program. Linux has no way to call it: you can make and print the predicate,
  /// but evaluating it fails with a sentence.
  public init(
    leftExpression: FoundationExpression, rightExpression: FoundationExpression, customSelector: Selector
  ) {
    let comparison = Comparison(
      ExpressionNode(value: leftExpression), .customSelector, ExpressionNode(value: rightExpression),
      selector: customSelector.name)
    self = NSPredicate.make(.comparison(comparison), as: Self.self)
  }

}

extension NSCopying where Self: FoundationComparisonPredicate {
  private var comparison: Comparison {
    if let own = self as? ComparisonNodePredicate { return own.comparison }
    guard case .comparison(let comparison) = SubclassedPredicate.of(self)?.evaluators.node else {
      misuse(
        MisuseReport(
          "The comparison is of a class that CoreData does not know.",
          facts: [("Class", "\(type(of: self))")],
          how: "", remedy: "Make it with an initializer of NSComparisonPredicate."))
    }
    return comparison
  }

  /// The left side of the comparison.
  public var leftExpression: FoundationExpression { NodeExpression.make(comparison.left) }
  /// The right side of the comparison.
  public var rightExpression: FoundationExpression { NodeExpression.make(comparison.right) }

  /// Whether the left side is one value, or all or any of a collection's.
  public var comparisonPredicateModifier: FoundationComparisonPredicate.Modifier {
    FoundationComparisonPredicate.Modifier(rawValue: comparison.modifier.rawValue) ?? .direct
  }

  /// The operator. Ends the program for a custom selector, because Foundation's enumeration on Linux has no case for
  /// it.
  public var predicateOperatorType: FoundationComparisonPredicate.Operator {
    guard let type = comparison.comparator.foundationOperator else {
      misuse(
        MisuseReport(
          "NSComparisonPredicate.Operator has no case for a custom selector on Linux.",
          facts: [("Predicate", PredicatePrinter.print(.comparison(comparison)))], how: "",
          remedy: "Ask customSelector first."))
    }
    return type
  }

  /// Whether the case and diacritics of strings are ignored.
  public var options: FoundationComparisonPredicate.Options {
    FoundationComparisonPredicate.Options(rawValue: comparison.options.rawValue)
  }

  /// The comparing method; nil for operators of the format language.
  public var customSelector: Selector? { comparison.selector.map { Selector($0) } }
}

extension Comparison.Comparator {
  /// Foundation on Linux has other raw values for `contains` and `between`, so cases are compared, not raw values.
  init(_ type: FoundationComparisonPredicate.Operator) {
    switch type {
    case .lessThan: self = .lessThan
    case .lessThanOrEqualTo: self = .lessThanOrEqualTo
    case .greaterThan: self = .greaterThan
    case .greaterThanOrEqualTo: self = .greaterThanOrEqualTo
    case .equalTo: self = .equalTo
    case .notEqualTo: self = .notEqualTo
    case .matches: self = .matches
    case .like: self = .like
    case .beginsWith: self = .beginsWith
    case .endsWith: self = .endsWith
    case .in: self = .in
    case .contains: self = .contains
    case .between: self = .between
    }
  }

  /// nil for a custom selector.
  var foundationOperator: FoundationComparisonPredicate.Operator? {
    switch self {
    case .lessThan: .lessThan
    case .lessThanOrEqualTo: .lessThanOrEqualTo
    case .greaterThan: .greaterThan
    case .greaterThanOrEqualTo: .greaterThanOrEqualTo
    case .equalTo: .equalTo
    case .notEqualTo: .notEqualTo
    case .matches: .matches
    case .like: .like
    case .beginsWith: .beginsWith
    case .endsWith: .endsWith
    case .in: .in
    case .customSelector: nil
    case .contains: .contains
    case .between: .between
    }
  }
}
