import Foundation

/// An operator with its options, prepared once for a right side: the pattern is compiled, the text folded, the set of
/// an IN hashed.
struct ValueMatcher {
  /// Whether one value on the left, which is not a to-many's collection, meets the relation.
  typealias ElementTest = (PredicateValue) throws -> Bool

  private let comparator: Comparison.Comparator
  private let options: Comparison.Options
  private let leftIsProperty: Bool
  private let rightIsProperty: Bool

  private let method: MethodCall.Call?

  /// Throws an error for a custom selector, which can't be called.
  init(_ comparison: Comparison) throws {
    if comparison.comparator == .customSelector {
      guard let selector = comparison.selector, let call = try? MethodCall.named(selector, count: 1) else {
        throw Failure.unsupportedFeature("The operator \(comparison.selector ?? "of a custom selector")")
      }
      method = call
    } else {
      method = nil
    }
    comparator = comparison.comparator
    options = comparison.options
    leftIsProperty = comparison.left.isProperty
    rightIsProperty = comparison.right.isProperty
  }

  /// Without a modifier: a to-many path on the left means ANY, except that equality with nil asks for
  /// emptiness, and with a collection for the same members.
  func direct(
    _ left: PredicateValue, matches: ElementTest, right: @autoclosure () -> PredicateValue
  ) throws -> Bool {
    switch left {
    case .subject, .constant(.nothing), .constant(.string), .constant(.int): return try matches(left)
    case .subjects, .values:
      if comparator == .customSelector { return try matches(left) }
      if comparator == .equalTo || comparator == .notEqualTo {
        let right = right()
        let isNegated = comparator == .notEqualTo
        if right.isNull, case .subjects(let subjects) = left { return subjects.isEmpty != isNegated }
        if right.members != nil { return SetArithmetic.sameMembers(left, right) != isNegated }
      }
      return try any(left, matches)
    case .constant(.collection):
      switch comparator {
      case .equalTo: return ValueComparison.equal(left, right(), options: options)
      case .notEqualTo: return !ValueComparison.equal(left, right(), options: options)
      case .contains:
        let right = right()
        return (left.members ?? []).contains { ValueComparison.equal($0, right, options: options) }
      case .customSelector: return try matches(left)
      default: return try any(left, matches)
      }
    default: return try matches(left)
    }
  }

  /// ANY. A single value is a collection of one.
  func any(_ left: PredicateValue, _ matches: ElementTest) throws -> Bool {
    guard let members = left.members else { return try matches(left) }
    for member in members where try matches(member) { return true }
    return false
  }

  /// ALL.
  func all(_ left: PredicateValue, _ matches: ElementTest) throws -> Bool {
    guard let members = left.members else { return try matches(left) }
    for member in members where try !matches(member) { return false }
    return true
  }

  func prepared(for right: PredicateValue) throws -> ElementTest {
    switch comparator {
    case .in: return isIn(right)
    case .between: return isBetween(right)
    case .contains:
      if case .constant(let constant) = right, let piece = ValueComparison.text(of: constant) {
        let contains = stringTest(StringFinder(piece, .anywhere, options: options).matches)
        return { value in
          if let members = value.members {
            return members.contains { ValueComparison.equal($0, right, options: options) }
          }
          return contains(value)
        }
      }
      return { value in
        if let members = value.members { return SetArithmetic.contains(members, right) }
        return !value.isNull && ValueComparison.equal(value, right)
      }
    default: break
    }
    // A to-many path on the right means any of its values.
    switch right {
    case .values, .subjects:
      let tests = try (right.members ?? []).map(single(for:))
      return { value in
        for test in tests where try test(value) { return true }
        return false
      }
    default: return try single(for: right)
    }
  }

  /// Makes the test for a single value on the right.
  private func single(for right: PredicateValue) throws -> ElementTest {
    switch comparator {
    case .equalTo: return isEqual(to: right)
    case .notEqualTo:
      let isEqual = isEqual(to: right)
      return { try !isEqual($0) }
    case .lessThan: return ordered(right) { $0 < 0 }
    case .lessThanOrEqualTo: return ordered(right) { $0 <= 0 }
    case .greaterThan: return ordered(right) { $0 > 0 }
    case .greaterThanOrEqualTo: return ordered(right) { $0 >= 0 }
    case .customSelector:
      return { [method] value in try method?(value, [right]).constant.number ?? 0 != 0 }
    default: break
    }
    guard case .constant(let constant) = right, let pattern = ValueComparison.text(of: constant) else {
      return { _ in false }
    }
    switch comparator {
    case .beginsWith: return stringTest(StringFinder(pattern, .start, options: options).matches)
    case .endsWith: return stringTest(StringFinder(pattern, .end, options: options).matches)
    case .like: return stringTest(LikePattern(pattern, options: options).matches)
    case .matches:
      do {
        return stringTest(try RegularExpressionPattern(pattern, options: options).matches)
      } catch {
        throw Failure.malformedPredicate(
          format: "MATCHES \(PredicateLiteral.quoted(pattern))", offset: nil,
          what: "the regular expression can't be read")
      }
    default: return { _ in false }
    }
  }

  /// A test of text; false for what has none.
  private func stringTest(_ matches: @escaping (String) -> Bool) -> (PredicateValue) -> Bool {
    { value in
      if case .constant(.string(let text)) = value { return matches(text) }
      guard case .constant(let constant) = value, let text = ValueComparison.text(of: constant) else {
        return false
      }
      return matches(text)
    }
  }

  private func isEqual(to right: PredicateValue) -> ElementTest {
    let general: (PredicateValue) -> Bool = { [options, leftIsProperty, rightIsProperty] value in
      ValueComparison.equal(
        value, right, options: options, leftIsProperty: leftIsProperty, rightIsProperty: rightIsProperty)
    }
    switch right {
    case .constant(.nothing): return { $0.isNull }
    case .constant(.string(let text)) where options.isEmpty || options.contains(.normalized):
      return { value in
        if case .constant(.string(let other)) = value { return binaryEqual(other, text) }
        return general(value)
      }
    case .constant(.string(let text)) where !options.contains(.localeSensitive):
      let folded = foldForComparison(text, options: options)
      return { [options] value in
        if case .constant(.string(let other)) = value {
          return binaryEqual(foldForComparison(other, options: options), folded)
        }
        return general(value)
      }
    case .constant(.int(let number)):
      return { value in
        if case .constant(.int(let other)) = value { return other == number }
        return general(value)
      }
    case .constant(.bool(let flag)):
      return { value in
        if case .constant(.bool(let other)) = value { return other == flag }
        return general(value)
      }
    case .constant(.uuid(let uuid)):
      return { value in
        if case .constant(.uuid(let other)) = value { return other == uuid }
        return general(value)
      }
    case .constant(.object(let object)):
      guard let identity = PredicateConstant.identity(of: object) else { return { _ in false } }
      return { value in
        switch value {
        case .subject(let subject): subject.predicateIdentity == identity
        case .constant(.object(let other)):
          other === object || PredicateConstant.identity(of: other) == identity
        default: false
        }
      }
    default: return general
    }
  }

  private func ordered(_ right: PredicateValue, _ accepts: @escaping (Int) -> Bool) -> ElementTest {
    guard case .constant(let bound) = right else { return { _ in false } }
    return { [options, leftIsProperty, rightIsProperty] value in
      guard case .constant(let constant) = value,
        let order = ValueComparison.order(
          constant, bound, options: options, leftIsProperty: leftIsProperty,
          rightIsProperty: rightIsProperty)
      else { return false }
      return accepts(order)
    }
  }

  private func isBetween(_ right: PredicateValue) -> ElementTest {
    guard let bounds = right.members, bounds.count == 2 else { return { _ in false } }
    let isAbove = ordered(bounds[0]) { $0 >= 0 }
    let isBelow = ordered(bounds[1]) { $0 <= 0 }
    return { try isAbove($0) && isBelow($0) }
  }

  /// Membership, or a part of a text. nil is in nothing.
  private func isIn(_ right: PredicateValue) -> ElementTest {
    if case .constant(let constant) = right, case .string(let whole) = constant {
      return stringTest { [options] piece in
        StringFinder(piece, .anywhere, options: options).matches(whole)
      }
    }
    guard let members = right.members ?? right.valuesOfDictionary else { return { _ in false } }
    if let set = ConstantSet(members, options: options) { return { set.contains($0) } }
    let tests = members.filter { !$0.isNull }.map(isEqual(to:))
    return { value in
      if value.isNull { return false }
      for test in tests where try test(value) { return true }
      return false
    }
  }
}

extension ExpressionNode {
  /// Whether a number and a text meet in this side's class, as with a column in SQLite.
  fileprivate var isProperty: Bool {
    switch self {
    case .keyPath, .nested, .evaluatedObject, .index, .subquery, .variable: true
    case .function: keyPathCall != nil
    default: false
    }
  }
}

/// The right side of an IN with many constants.
///
/// Only for values of one class. If numbers and texts could meet, the caller compares one by one.
struct ConstantSet {
  private enum Key: Hashable {
    case integer(Int64)
    case real(Double)
    case text(BinaryText)
    case uuid(UUID)
    case data(Data)
    case identity(AnyHashable)
  }

  private var keys: Set<Key> = []
  private var hasNumbers = false
  private var hasTexts = false
  private let options: Comparison.Options
  /// The constants as given: 2.0 is the key 2, but another text.
  private let members: [PredicateValue]

  /// nil for short lists, for values without a key, and for a comparison by locale.
  init?(_ members: [PredicateValue], options: Comparison.Options) {
    guard members.count > 4, !options.contains(.localeSensitive) else { return nil }
    self.options = options
    self.members = members
    keys.reserveCapacity(members.count)
    for member in members {
      if member.isNull { continue }
      guard let key = key(member) else { return nil }
      switch key {
      case .integer, .real: hasNumbers = true
      case .text: hasTexts = true
      default: break
      }
      keys.insert(key)
    }
    if hasNumbers && hasTexts { return nil }
  }

  private func key(_ value: PredicateValue) -> Key? { ConstantSet.key(of: value, options) }

  private static func key(of value: PredicateValue, _ options: Comparison.Options) -> Key? {
    switch value {
    case .constant(.int(let value)): return .integer(value)
    case .constant(.bool(let value)): return .integer(value ? 1 : 0)
    case .constant(.string(let value)):
      return .text(BinaryText(text: foldForComparison(value, options: options)))
    case .constant(.url(let value)):
      return .text(BinaryText(text: foldForComparison(value.absoluteString, options: options)))
    case .constant(.uuid(let value)): return .uuid(value)
    case .constant(.data(let value)):
      guard value.count == 16 else { return .data(value) }
      return .uuid(value.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    case .constant(.object(let value)): return PredicateConstant.identity(of: value).map(Key.identity)
    case .constant(.decimal(let value)): return key(of: value)
    case .subject(let subject): return subject.predicateIdentity.map(Key.identity)
    case .constant(let constant):
      guard let number = constant.number, !number.isNaN else { return nil }
      return Int64(exactly: number).map(Key.integer) ?? .real(number)
    default: return nil
    }
  }

  /// The key of a decimal. Decimals of up to fifteen digits are different doubles where they differ; of longer ones two
  /// may be nearest to one double, so that they have no key.
  private static func key(of decimal: Decimal) -> Key? {
    switch ValueComparison.storedNumber(decimal) {
    case .int(let value): return .integer(value)
    case .double(let value) where decimal.significand.magnitude < 1_000_000_000_000_000:
      return value.isNaN ? nil : .real(value)
    default: return nil
    }
  }

  func contains(_ value: PredicateValue) -> Bool {
    guard let key = key(value) else {
      // A decimal without a key may still equal the double that is nearest to it.
      if case .constant(.decimal) = value { return meets(value) }
      return false
    }
    if keys.contains(key) { return true }
    // A number against texts, or the reverse: the property's class decides.
    switch key {
    case .integer, .real: return hasTexts && meets(value)
    case .text: return hasNumbers && meets(value)
    default: return false
    }
  }
  private func meets(_ value: PredicateValue) -> Bool {
    members.contains { ValueComparison.equal(value, $0, options: options, rightIsProperty: false) }
  }

  /// A number for each value, the same for equal ones; nil if the values have to be compared one by one.
  static func numbers(of values: [PredicateValue]) -> [Int]? {
    var known: [Key?: Int] = [:]
    var numbers: [Int] = []
    numbers.reserveCapacity(values.count)
    var (hasNumbers, hasTexts) = (false, false)
    for value in values {
      let own = key(of: value, [])
      switch own {
      case .integer?, .real?: hasNumbers = true
      case .text?: hasTexts = true
      case .uuid?, .data?, .identity?: break
      case nil: if !value.isNull { return nil }
      }
      let number = known[own] ?? known.count
      known[own] = number
      numbers.append(number)
    }
    return hasNumbers && hasTexts ? nil : numbers
  }
}
