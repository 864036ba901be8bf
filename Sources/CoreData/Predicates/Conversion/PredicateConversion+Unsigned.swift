import Foundation

// Unsigned integers of 64 bits are stored by their bits, so those from 2^63 on are negative there. What is equal stays
// equal. An order to a value of the program's is put together of two tests; two stored values are compared, and
// sorted, as they are.

extension PredicateConversion {
  /// What stands for a value of the program's.
  func constant(_ value: Any) -> PredicateConstant {
    rules.constant(value).map(PredicateConversion.stored) ?? .null
  }

  private static func stored(_ value: Any) -> PredicateConstant {
    if let constant = PredicateConstant(frequent: value) { return constant }
    if let numbers = value as? any StoredByBits { return numbers.byBits }
    // What a rule may make of an array or a set.
    if type(of: value) == [Any].self, let list = value as? [Any] { return .collection(list.map(stored)) }
    return PredicateConstant(any: value)
  }

  /// A comparison by order, or what `whole` gives for two values of the program's.
  mutating func order(
    _ left: some PredicateExpression, comparator: Comparison.Comparator, right: Any, whole: some PredicateExpression
  ) throws -> Part {
    guard PredicateConversion.isStoredByBits(left) else {
      return try compare(left, comparator: comparator, right: right, whole: whole)
    }
    let (left, right) = (try expression(left), try expression(right))
    if left.isConstant, right.isConstant, let value = value(of: whole) { return .expression(value) }
    return .predicate(PredicateConversion.unsigned(left, comparator: comparator, right: right))
  }

  /// Whether the values of an expression are such integers.
  static func isStoredByBits<Expression: PredicateExpression>(_: Expression) -> Bool {
    Expression.Output.self == UInt64.self || Expression.Output.self == UInt.self
  }

  /// An order of such integers, of which one may be a constant.
  static func unsigned(
    _ left: ExpressionNode, comparator: Comparison.Comparator, right: ExpressionNode
  ) -> PredicateNode {
    if left.isConstant, !right.isConstant, let mirrored = comparator.mirrored {
      return unsigned(right, comparator: mirrored, right: left)
    }
    let signed = PredicateNode.comparison(Comparison(left, comparator, right))
    guard case .constant(.int(let bound)) = right else { return signed }
    let zero = ExpressionNode.constant(.int(0))
    let isSmall = PredicateNode.comparison(Comparison(left, .greaterThanOrEqualTo, zero))
    let isLarge = PredicateNode.comparison(Comparison(left, .lessThan, zero))
    switch comparator {
    case .lessThan, .lessThanOrEqualTo: return bound < 0 ? .or([isSmall, signed]) : .and([isSmall, signed])
    case .greaterThan, .greaterThanOrEqualTo: return bound < 0 ? .and([isLarge, signed]) : .or([isLarge, signed])
    case .equalTo, .notEqualTo, .matches, .like, .beginsWith, .endsWith, .in, .contains, .between, .customSelector:
      return signed
    }
  }
}

/// An unsigned integer of 64 bits, or some of them.
private protocol StoredByBits {
  var byBits: PredicateConstant { get }
}

extension UInt64: StoredByBits {
  fileprivate var byBits: PredicateConstant { .int(Int64(bitPattern: self)) }
}
extension UInt: StoredByBits {
  fileprivate var byBits: PredicateConstant { .int(Int64(truncatingIfNeeded: self)) }
}
extension Optional: StoredByBits where Wrapped: StoredByBits {
  fileprivate var byBits: PredicateConstant { self?.byBits ?? .null }
}
extension Array: StoredByBits where Element: StoredByBits {
  fileprivate var byBits: PredicateConstant { .collection(map(\.byBits)) }
}
extension Set: StoredByBits where Element: StoredByBits {
  fileprivate var byBits: PredicateConstant { .collection(map(\.byBits)) }
}

extension Comparison.Comparator {
  /// The operator that gives the same result with the two sides exchanged; nil if there is none.
  var mirrored: Comparison.Comparator? {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqualTo: .greaterThanOrEqualTo
    case .greaterThan: .lessThan
    case .greaterThanOrEqualTo: .lessThanOrEqualTo
    case .equalTo, .notEqualTo: self
    case .matches, .like, .beginsWith, .endsWith, .in, .contains, .between, .customSelector: nil
    }
  }
}
