import Foundation

/// The name of a method. On Linux no method can be looked up by name. A selector names a way to compare strings in a
/// sort descriptor, or a function in an expression.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name with its colons: `"caseInsensitiveCompare:"`.
  let name: String

  /// Makes a selector from a name with colons.
  public init(_ name: String) { self.name = name }
  /// Makes a selector from a string literal, a name with colons.
  public init(stringLiteral name: String) { self.name = name }

  /// The name.
  public var description: String { name }
}

/// The name of a selector, with colons.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }

/// Makes a selector from a name with colons.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }
