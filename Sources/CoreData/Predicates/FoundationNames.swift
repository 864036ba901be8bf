import Foundation

// Like `FoundationExpression`: names that Foundation on Linux deprecates, reached in ways that don't warn.

/// `NSExpression.ExpressionType`, without the deprecation warning.
public typealias FoundationExpressionType = _FoundationPredicateTypes.QuietExpressionType

/// `NSComparisonPredicate`, without the deprecation warning.
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

/// Names for our subclasses of classes that Foundation deprecates. A deprecated declaration may name a deprecated class
/// without a warning, and so may a path through an associated type. So each such class is marked as deprecated where it
/// is declared, and is reached by a name that doesn't warn.
public enum _PredicateClasses: _PredicateClassSource {}

public protocol _PredicateClassSource {
  associatedtype FetchRequestExpression: NSObject
}

public typealias _FetchRequestExpressionType<Source: _PredicateClassSource> = Source.FetchRequestExpression

/// Like `_PredicateClasses`, for names that only this module uses.
enum OwnPredicateClasses: OwnPredicateClassSource {}

protocol OwnPredicateClassSource {
  associatedtype Expression: NSObject
  associatedtype Comparison: NSPredicate
}

typealias OwnExpressionType<Source: OwnPredicateClassSource> = Source.Expression
typealias OwnComparisonType<Source: OwnPredicateClassSource> = Source.Comparison

/// Reads `predicateFormat`, which Foundation deprecates as well.
protocol _PredicateFormatReading {
  var predicateFormat: String { get }
}

extension NSPredicate: _PredicateFormatReading {}

extension NSPredicate {
  /// `predicateFormat`, without the deprecation warning.
  var quietFormat: String { (self as any _PredicateFormatReading).predicateFormat }
}
