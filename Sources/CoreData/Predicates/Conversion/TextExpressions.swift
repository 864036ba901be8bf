import Foundation

// Foundation on Linux has no expressions for what `#Predicate` makes of `localizedStandardContains(_:)`,
// `caseInsensitiveCompare(_:)` and `localizedCompare(_:)`. SwiftData has expressions with Apple's names. A program that
// imports both modules uses those: the functions here are the second choice.

extension PredicateExpressions {
  /// Whether a text contains another, ignoring case and diacritics.
  public struct _TextSearch<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The result is true or false.
    public typealias Output = Bool
    let root: Root
    let other: Other

    /// Searches in memory.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      let (text, sought) = (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      return text.range(of: sought, options: [.caseInsensitive, .diacriticInsensitive]) != nil
    }
  }

  /// The call that `#Predicate` makes for `localizedStandardContains(_:)`.
  @_disfavoredOverload
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _TextSearch<Root, Other> {
    _TextSearch(root: root, other: other)
  }

  /// How a text is ordered to another, ignoring case, or as in the person's language.
  public struct _TextOrder<Root: PredicateExpression, Other: PredicateExpression>: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The result is an order.
    public typealias Output = ComparisonResult
    let root: Root
    let other: Other
    /// Whether the order is that of the person's language.
    package let isLocalized: Bool

    /// Compares in memory.
    public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
      let (text, other) = (String(try root.evaluate(bindings)), String(try other.evaluate(bindings)))
      return isLocalized ? text.localizedCompare(other) : text.caseInsensitiveCompare(other)
    }
  }

  /// The call that `#Predicate` makes for `caseInsensitiveCompare(_:)`.
  @_disfavoredOverload
  public static func build_caseInsensitiveCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _TextOrder<Root, Other> {
    _TextOrder(root: root, other: other, isLocalized: false)
  }

  /// The call that `#Predicate` makes for `localizedCompare(_:)`.
  @_disfavoredOverload
  public static func build_localizedCompare<Root, Other>(
    _ root: Root, _ other: Other
  ) -> _TextOrder<Root, Other> {
    _TextOrder(root: root, other: other, isLocalized: true)
  }
}

extension PredicateExpressions._TextSearch: TextSearchExpression {
  /// The text that is looked into.
  package var searchedText: Any { root }
  /// The text that is looked for.
  package var soughtText: Any { other }
}
extension PredicateExpressions._TextSearch: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions._TextSearch: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions._TextSearch: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions._TextOrder: TextOrderExpression {
  /// The text on the left.
  package var orderedText: Any { root }
  /// The text on the right.
  package var otherText: Any { other }
}
extension PredicateExpressions._TextOrder: Sendable where Root: Sendable, Other: Sendable {}
extension PredicateExpressions._TextOrder: Codable where Root: Codable, Other: Codable {}
extension PredicateExpressions._TextOrder: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}
