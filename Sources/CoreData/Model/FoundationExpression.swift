import Foundation

/// `NSExpression` under a name that causes no warning.
///
/// Foundation on Linux has the class, but marks it as deprecated because its functions are missing there; this module
/// adds them. To the compiler the two names are one type.
public typealias FoundationExpression = _FoundationTypes.Quiet

public protocol _FoundationTypeSource { associatedtype Expression: NSObject }

public enum _FoundationTypes: _FoundationTypeSource {
  @available(*, deprecated)
  public typealias Expression = NSExpression

  public typealias Quiet = _ExpressionType<_FoundationTypes>
}

public typealias _ExpressionType<Source: _FoundationTypeSource> = Source.Expression
