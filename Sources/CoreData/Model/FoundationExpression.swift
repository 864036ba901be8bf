import Foundation

/// `NSExpression`, by a path that does not warn.
///
/// Foundation on Linux has the class and marks it deprecated, since it offers none of its functions there;
/// this module adds them. To the compiler the two names are one type.
public typealias FoundationExpression = _FoundationTypes.Quiet

public protocol _FoundationTypeSource { associatedtype Expression: NSObject }

public enum _FoundationTypes: _FoundationTypeSource {
  @available(*, deprecated)
  public typealias Expression = NSExpression

  public typealias Quiet = _ExpressionType<_FoundationTypes>
}

public typealias _ExpressionType<Source: _FoundationTypeSource> = Source.Expression
