import CoreData

/// `localizedStandardContains` in `#Predicate`: the macro uses it, and Foundation on Linux lacks it.
extension PredicateExpressions {
  /// Tests whether a text contains another, ignoring case and diacritics.
  public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression, CustomStringConvertible
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The result is true or false.
    public typealias Output = Bool
    /// The text to search in.
    public let root: Root
    /// The text to search for.
    public let other: Other

    /// Searches in memory.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, sought) = (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      return text.range(of: sought, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
    /// A description for logs.
    public var description: String { "\(root).localizedStandardContains(\(other))" }
  }

  /// The call that `#Predicate` makes for `localizedStandardContains(_:)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: TextSearchExpression {
  package var searchedText: Any { root }
  package var soughtText: Any { other }
}
extension PredicateExpressions.StringLocalizedStandardContains: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions.StringLocalizedStandardContains: Codable where Root: Codable, Other: Codable {
  /// Decodes the two expressions, the text's first.
  public init(from decoder: any Decoder) throws { (root, other) = try decoder.pair() }
  /// Encodes the two expressions, the text's first.
  public func encode(to encoder: any Encoder) throws { try encoder.encodePair(root, other) }
}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
