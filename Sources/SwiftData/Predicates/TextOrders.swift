import CoreData

// `caseInsensitiveCompare` and `localizedCompare` in `#Predicate`: the macro uses them, and Foundation on Linux lacks
// them.

extension PredicateExpressions {
  /// How a text is ordered to another, ignoring case.
  public struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression, CustomStringConvertible
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The result is an order.
    public typealias Output = ComparisonResult
    /// The text on the left.
    public let root: Root
    /// The text on the right.
    public let other: Other

    /// Makes an expression of two others.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Compares in memory.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      String(try root.evaluate(bindings)).caseInsensitiveCompare(String(try other.evaluate(bindings)))
    }
    /// A description for logs.
    public var description: String { "\(root).caseInsensitiveCompare(\(other))" }
  }

  /// The call that `#Predicate` makes for `caseInsensitiveCompare(_:)`.
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringCaseInsensitiveCompare<Root, Other> {
    StringCaseInsensitiveCompare(root: root, other: other)
  }

  /// How a text is ordered to another in the person's language.
  public struct StringLocalizedCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression, CustomStringConvertible
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The result is an order.
    public typealias Output = ComparisonResult
    /// The text on the left.
    public let root: Root
    /// The text on the right.
    public let other: Other

    /// Makes an expression of two others.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Compares in memory.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      String(try root.evaluate(bindings)).localizedCompare(String(try other.evaluate(bindings)))
    }
    /// A description for logs.
    public var description: String { "\(root).localizedCompare(\(other))" }
  }

  /// The call that `#Predicate` makes for `localizedCompare(_:)`.
  public static func build_localizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedCompare<Root, Other> {
    StringLocalizedCompare(root: root, other: other)
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TextOrderExpression {
  package var orderedText: Any { root }
  package var otherText: Any { other }
  package var isLocalized: Bool { false }
}
extension PredicateExpressions.StringCaseInsensitiveCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringCaseInsensitiveCompare: Codable where Root: Codable, Other: Codable {
  /// Decodes the two expressions, the text's on the left first.
  public init(from decoder: any Decoder) throws { (root, other) = try decoder.pair() }
  /// Encodes the two expressions, the text's on the left first.
  public func encode(to encoder: any Encoder) throws { try encoder.encodePair(root, other) }
}
extension PredicateExpressions.StringCaseInsensitiveCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedCompare: TextOrderExpression {
  package var orderedText: Any { root }
  package var otherText: Any { other }
  package var isLocalized: Bool { true }
}
extension PredicateExpressions.StringLocalizedCompare: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedCompare: Codable where Root: Codable, Other: Codable {
  /// Decodes the two expressions, the text's on the left first.
  public init(from decoder: any Decoder) throws { (root, other) = try decoder.pair() }
  /// Encodes the two expressions, the text's on the left first.
  public func encode(to encoder: any Encoder) throws { try encoder.encodePair(root, other) }
}
extension PredicateExpressions.StringLocalizedCompare: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
