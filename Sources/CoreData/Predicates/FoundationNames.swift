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

/// The classes of ours that inherit a class which Foundation deprecates. What stands inside a deprecated declaration
/// may name such a class without a warning, and a path through an associated type leads to it without one; so each
/// class is marked deprecated where it is declared, and its name is a quiet one.
public enum _PredicateClasses: _PredicateClassSource {}

public protocol _PredicateClassSource {
  associatedtype FetchRequestExpression: NSObject
}

public typealias _FetchRequestExpressionType<Source: _PredicateClassSource> = Source.FetchRequestExpression

/// `_PredicateClasses` for what only this module names.
enum OwnPredicateClasses: OwnPredicateClassSource {}

protocol OwnPredicateClassSource {
  associatedtype Expression: NSObject
  associatedtype Comparison: NSPredicate
}

typealias OwnExpressionType<Source: OwnPredicateClassSource> = Source.Expression
typealias OwnComparisonType<Source: OwnPredicateClassSource> = Source.Comparison

/// Reads `predicateFormat`, which Foundation deprecates too.
protocol _PredicateFormatReading {
  var predicateFormat: String { get }
}

extension NSPredicate: _PredicateFormatReading {}

extension NSPredicate {
  /// `predicateFormat`, by a path that does not warn.
  var quietFormat: String { (self as any _PredicateFormatReading).predicateFormat }
}
