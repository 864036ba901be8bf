import Foundation

@testable import CoreData

/// What `#Predicate` is about: stored properties of a class.
final class Volume: NSObject {
  var name = "Dune"
  var number = 412
  var weight = 9.5
  var isRead = true
  var subtitle: String?
  var words = ["sand", "spice"]
  var sequel: Volume?
  var parts: [Volume] = []
}

/// Trees of `Predicate` expressions, made by choices that the input takes, become predicates of the format language.
struct ConversionTarget: FuzzTarget {
  static let name = "conversion"
  static let longest = 64

  private let volume = Volume()

  init() { volume.parts = [Volume()] }

  func seeds() -> [[UInt8]] {
    (0..<14).map { first in [UInt8(first)] + (0..<24).map { UInt8(($0 * 7 + first) % 31) } }
  }

  func run(_ input: [UInt8]) throws {
    var maker = ExpressionMaker(source: ByteSource(input))
    let predicate = Predicate<Volume> { volume in maker.condition(volume, depth: 0) }
    guard let converted = NSPredicate(predicate) else { return }
    let text = converted.predicateFormat
    guard let back = try? NSPredicate.parsing(text) else { return }
    _ = try? converted.checkedEvaluate(with: volume)
    _ = try? back.checkedEvaluate(with: volume)
  }
}

private typealias Condition = any StandardPredicateExpression<Bool>
private typealias Number = any StandardPredicateExpression<Int>
private typealias Real = any StandardPredicateExpression<Double>
private typealias Text = any StandardPredicateExpression<String>
private typealias Members = any StandardPredicateExpression<[Volume]>

/// Makes an expression from the input: each byte decides one choice.
private struct ExpressionMaker {
  var source: ByteSource
  private static let deepest = 5

  mutating func condition(_ volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Condition {
    if depth > Self.deepest || source.isEmpty { return value(source.byte() % 2 == 0) }
    switch source.below(13) {
    case 0: return and(condition(volume, depth: depth + 1), condition(volume, depth: depth + 1))
    case 1: return or(condition(volume, depth: depth + 1), condition(volume, depth: depth + 1))
    case 2: return not(condition(volume, depth: depth + 1))
    case 3: return equal(number(volume, depth: depth + 1), number(volume, depth: depth + 1))
    case 4: return less(number(volume, depth: depth + 1), number(volume, depth: depth + 1))
    case 5: return less(real(volume, depth: depth + 1), real(volume, depth: depth + 1))
    case 6: return contains(text(volume, depth: depth + 1), text(volume, depth: depth + 1))
    case 7: return begins(text(volume, depth: depth + 1), text(volume, depth: depth + 1))
    case 8: return equal(text(volume, depth: depth + 1), text(volume, depth: depth + 1))
    case 9: return some(volume, depth: depth + 1)
    case 10:
      return choose(
        condition(volume, depth: depth + 1), condition(volume, depth: depth + 1), condition(volume, depth: depth + 1))
    case 11: return within(number(volume, depth: depth + 1), source.integer(), source.integer())
    default: return PredicateExpressions.build_KeyPath(root: volume, keyPath: \.isRead)
    }
  }

  private mutating func number(_ volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Number {
    if depth > Self.deepest || source.isEmpty { return value(source.integer()) }
    switch source.below(8) {
    case 0: return add(number(volume, depth: depth + 1), number(volume, depth: depth + 1))
    case 1: return multiply(number(volume, depth: depth + 1), number(volume, depth: depth + 1))
    case 2: return divide(number(volume, depth: depth + 1), number(volume, depth: depth + 1))
    case 3: return remainder(number(volume, depth: depth + 1), number(volume, depth: depth + 1))
    case 4: return minus(number(volume, depth: depth + 1))
    case 5: return count(members(volume, depth: depth + 1))
    case 6: return PredicateExpressions.build_KeyPath(root: volume, keyPath: \.number)
    default: return value(source.integer())
    }
  }

  private mutating func real(_ volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Real {
    if depth > Self.deepest || source.isEmpty { return value(Double(source.integer())) }
    switch source.below(4) {
    case 0: return quotient(real(volume, depth: depth + 1), real(volume, depth: depth + 1))
    case 1: return PredicateExpressions.build_KeyPath(root: volume, keyPath: \.weight)
    default: return value(Double(bitPattern: UInt64(bitPattern: Int64(source.integer()))))
    }
  }

  private mutating func text(_ volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Text {
    if depth > Self.deepest || source.isEmpty { return value("") }
    switch source.below(4) {
    case 0: return PredicateExpressions.build_KeyPath(root: volume, keyPath: \.name)
    case 1: return orElse(subtitle(volume), text(volume, depth: depth + 1))
    default: return value(String(decoding: source.piece(12), as: UTF8.self))
    }
  }

  private func subtitle(
    _ volume: PredicateExpressions.Variable<Volume>
  ) -> any StandardPredicateExpression<String?> {
    PredicateExpressions.build_KeyPath(root: volume, keyPath: \.subtitle)
  }

  private mutating func members(_ volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Members {
    let parts = PredicateExpressions.build_KeyPath(root: volume, keyPath: \.parts)
    if depth > Self.deepest || source.isEmpty || source.byte() % 2 == 0 { return parts }
    let form = form(of: volume, depth: depth + 1)
    func filter<Form: StandardPredicateExpression<Bool>>(_ form: Form) -> Members {
      PredicateExpressions.build_filter(parts) { part in condition(part, depth: depth + 1) as! Form }
    }
    return filter(form)
  }

  private mutating func some(_ volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Condition {
    let parts = PredicateExpressions.build_KeyPath(root: volume, keyPath: \.parts)
    let isAll = source.byte() % 2 == 0
    let form = form(of: volume, depth: depth + 1)
    func test<Form: StandardPredicateExpression<Bool>>(_ form: Form) -> Condition {
      if isAll {
        return PredicateExpressions.build_allSatisfy(parts) { part in condition(part, depth: depth + 1) as! Form }
      }
      return PredicateExpressions.build_contains(parts, where: { part in condition(part, depth: depth + 1) as! Form })
    }
    return test(form)
  }

  /// The condition that the rest of the input makes about another object. Its type is that of the condition to be made.
  private func form(of volume: PredicateExpressions.Variable<Volume>, depth: Int) -> Condition {
    var copy = self
    return copy.condition(volume, depth: depth)
  }
}

// Each function opens existential values, since the type of an expression contains the types of its parts.

private func value<Output: Codable & Sendable>(_ value: Output) -> any StandardPredicateExpression<Output> {
  PredicateExpressions.build_Arg(value)
}

private func and(
  _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
) -> Condition { PredicateExpressions.build_Conjunction(lhs: left, rhs: right) }

private func or(
  _ left: some StandardPredicateExpression<Bool>, _ right: some StandardPredicateExpression<Bool>
) -> Condition { PredicateExpressions.build_Disjunction(lhs: left, rhs: right) }

private func not(_ condition: some StandardPredicateExpression<Bool>) -> Condition {
  PredicateExpressions.build_Negation(condition)
}

private func equal<Output: Equatable>(
  _ left: some StandardPredicateExpression<Output>, _ right: some StandardPredicateExpression<Output>
) -> Condition { PredicateExpressions.build_Equal(lhs: left, rhs: right) }

private func less<Output: Comparable>(
  _ left: some StandardPredicateExpression<Output>, _ right: some StandardPredicateExpression<Output>
) -> Condition { PredicateExpressions.build_Comparison(lhs: left, rhs: right, op: .lessThan) }

private func contains(
  _ text: some StandardPredicateExpression<String>, _ part: some StandardPredicateExpression<String>
) -> Condition { PredicateExpressions.build_contains(text, part) }

private func begins(
  _ text: some StandardPredicateExpression<String>, _ part: some StandardPredicateExpression<String>
) -> Condition { PredicateExpressions.build_starts(text, with: part) }

private func choose(
  _ test: some StandardPredicateExpression<Bool>, _ yes: some StandardPredicateExpression<Bool>,
  _ no: some StandardPredicateExpression<Bool>
) -> Condition { PredicateExpressions.build_Conditional(test, yes, no) }

private func within(_ number: some StandardPredicateExpression<Int>, _ one: Int, _ other: Int) -> Condition {
  let range = PredicateExpressions.build_ClosedRange(
    lower: PredicateExpressions.build_Arg(min(one, other)), upper: PredicateExpressions.build_Arg(max(one, other)))
  return PredicateExpressions.build_contains(range, number)
}

private func add(
  _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>
) -> Number { PredicateExpressions.build_Arithmetic(lhs: left, rhs: right, op: .add) }

private func multiply(
  _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>
) -> Number { PredicateExpressions.build_Arithmetic(lhs: left, rhs: right, op: .multiply) }

private func divide(
  _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>
) -> Number { PredicateExpressions.build_Division(lhs: left, rhs: right) }

private func remainder(
  _ left: some StandardPredicateExpression<Int>, _ right: some StandardPredicateExpression<Int>
) -> Number { PredicateExpressions.build_Remainder(lhs: left, rhs: right) }

private func minus(_ number: some StandardPredicateExpression<Int>) -> Number {
  PredicateExpressions.build_UnaryMinus(number)
}

private func count(_ members: some StandardPredicateExpression<[Volume]>) -> Number {
  PredicateExpressions.build_KeyPath(root: members, keyPath: \.count)
}

private func quotient(
  _ left: some StandardPredicateExpression<Double>, _ right: some StandardPredicateExpression<Double>
) -> Real { PredicateExpressions.build_Division(lhs: left, rhs: right) }

private func orElse(
  _ text: some StandardPredicateExpression<String?>, _ other: some StandardPredicateExpression<String>
) -> Text { PredicateExpressions.build_NilCoalesce(lhs: text, rhs: other) }
