import Foundation

// As `FoundationExpression`: names that Foundation on Linux deprecates, by paths that do not warn.

/// `NSExpression.ExpressionType`, by a path that does not warn.
public typealias FoundationExpressionType = _FoundationPredicateTypes.QuietExpressionType

/// `NSComparisonPredicate`, by a path that does not warn.
public typealias FoundationComparisonPredicate = _FoundationPredicateTypes.QuietComparison

public protocol _FoundationPredicateTypeSource {
  associatedtype ExpressionType
  associatedtype Comparison: NSPredicate
}

public enum _FoundationPredicateTypes: _FoundationPredicateTypeSource {
  @available(*, deprecated)
  public typealias ExpressionType = NSExpression.ExpressionType
  @available(*, deprecated)
  public typealias Comparison = NSComparisonPredicate

  public typealias QuietExpressionType = _ExpressionTypeType<_FoundationPredicateTypes>
  public typealias QuietComparison = _ComparisonPredicateType<_FoundationPredicateTypes>
}

public typealias _ExpressionTypeType<Source: _FoundationPredicateTypeSource> = Source.ExpressionType
public typealias _ComparisonPredicateType<Source: _FoundationPredicateTypeSource> = Source.Comparison

/// Reads `predicateFormat`, which Foundation deprecates too.
protocol _PredicateFormatReading {
  var predicateFormat: String { get }
}

extension NSPredicate: _PredicateFormatReading {}
