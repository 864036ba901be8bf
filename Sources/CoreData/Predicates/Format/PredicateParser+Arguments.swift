import Foundation

extension PredicateParser {
  /// The value for the current `%…`.
  mutating func argument() throws -> ExpressionNode {
    let conversion = bytes(of: token).last!
    if conversion == UInt8(ascii: "K") { return try keyPathArgument() }
    let place = token
    let value = try nextArgument()
    try advance()
    if let value, type(of: value) == NoArgument.self { return .constant(.null) }
    if conversion == UInt8(ascii: "@") {
      // Checks first whether it is an instance, because casting an array or a string would bridge it.
      if let value, type(of: value) is AnyClass, let expression = value as? FoundationExpression {
        return try expressionNode(of: expression)
      }
      return .constant(PredicateConstant(any: value))
    }
    let constant = PredicateConstant(any: value)
    switch conversion {
    case UInt8(ascii: "s"), UInt8(ascii: "S"):
      guard case .string = constant else { throw mismatch(place, value: value, what: "a string") }
      return .constant(constant)
    case UInt8(ascii: "c"), UInt8(ascii: "C"):
      if case .string(let text) = constant, text.count == 1 { return .constant(constant) }
      guard case .int = constant else { throw mismatch(place, value: value, what: "a character or its number") }
      return .constant(constant)
    case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "g"),
      UInt8(ascii: "G"), UInt8(ascii: "a"), UInt8(ascii: "A"):
      guard let number = constant.number else { throw mismatch(place, value: value, what: "a number") }
      return .constant(.double(number))
    default:
      return .constant(try integer(constant, place: place, value: value))
    }
  }

  /// Of `%d` and its like. A C compiler would pass a Boolean as an integer.
  private func integer(
    _ constant: PredicateConstant, place: PredicateToken, value: Any?
  ) throws -> PredicateConstant {
    switch constant {
    case .int: return constant
    case .bool(let value): return .int(value ? 1 : 0)
    case .double(let number):
      if let exact = Int64(exactly: number.rounded(.towardZero)) { return .int(exact) }
    case .decimal(let number): return .int(NSDecimalNumber(decimal: number).int64Value)
    default: break
    }
    throw mismatch(place, value: value, what: "an integer")
  }

  /// The key path for the current `%K`.
  mutating func keyPathArgument() throws -> ExpressionNode {
    let place = token
    let value = try nextArgument()
    guard case .string(let path) = PredicateConstant(any: value) else {
      throw mismatch(place, value: value, what: "a key path as a string")
    }
    guard !path.isEmpty else { throw PredicateSyntaxError(at: place.start, "the key path for %K is empty") }
    try advance()
    return ExpressionNode(keyPath: path)
  }

  private mutating func nextArgument() throws -> Any? {
    guard usedArguments < arguments.count else {
      throw PredicateSyntaxError(
        at: token.start,
        "no argument is left for \"\(text(of: token))\": \(arguments.count) given")
    }
    usedArguments += 1
    return arguments[usedArguments - 1]
  }

  private func mismatch(_ place: PredicateToken, value: Any?, what: String) -> PredicateSyntaxError {
    let found = value.map { "\($0) (\(type(of: $0)))" } ?? "nil"
    return PredicateSyntaxError(
      at: place.start, "argument \(usedArguments) for \"\(text(of: place))\" must be \(what), not \(found)")
  }
}
