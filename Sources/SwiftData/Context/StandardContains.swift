import CoreData

/// `localizedStandardContains` in `#Predicate`: the macro names it, and Foundation on Linux does not have it.
extension PredicateExpressions {
  /// Whether a text has another in it, whatever their case and diacritics.
  public struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression, CustomStringConvertible
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// True or false.
    public typealias Output = Bool
    /// The text that is looked into.
    public let root: Root
    /// The text that is looked for.
    public let other: Other

    /// Looks for the text, in memory.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, sought) = (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      return text.range(of: sought, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
    /// For logs.
    public var description: String { "\(root).localizedStandardContains(\(other))" }
  }

  /// What `#Predicate` makes of `localizedStandardContains(_:)`.
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
  /// The two texts' expressions, one after the other.
  public init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    root = try container.decode(Root.self)
    other = try container.decode(Other.self)
  }
  /// See ``init(from:)``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(root)
    try container.encode(other)
  }
}
extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
