import Foundation

/// A method's name. On Linux there are no methods to look up by name; selectors name ways to compare strings
/// in sort descriptors, and functions in expressions.
public struct Selector: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// With its colons: `"caseInsensitiveCompare:"`.
  let name: String

  /// A selector from its name, with colons.
  public init(_ name: String) { self.name = name }
  /// A selector from a string literal, its name with colons.
  public init(stringLiteral name: String) { self.name = name }

  /// The name.
  public var description: String { name }
}

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }

/// The selector of a name.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }
