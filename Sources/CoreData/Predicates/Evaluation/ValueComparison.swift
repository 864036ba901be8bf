import Foundation

/// Compares values as SQLite does; see `PredicateEvaluator`.
enum ValueComparison {
  /// SQLite's storage classes in their order.
  private enum StorageClass: Int {
    case null, number, text, bytes
    /// Objects, which SQLite knows as keys of rows.
    case reference
    case collection
  }

  private static func storageClass(of constant: PredicateConstant) -> StorageClass {
    switch constant {
    case .nothing: .null
    case .bool, .int, .double, .date, .decimal: .number
    case .string, .url: .text
    case .data, .uuid: .bytes
    case .object, .other: .reference
    case .collection: .collection
    }
  }

  /// Negative, zero or positive; nil if the two have no order, as nil, NaN and objects.
  ///
  /// `leftIsProperty` and `rightIsProperty` say which side's class rules where a number meets a text.
  static func order(
    _ left: PredicateConstant, _ right: PredicateConstant, options: Comparison.Options = [],
    leftIsProperty: Bool = true, rightIsProperty: Bool = true
  ) -> Int? {
    switch (left, right) {
    case (.string(let a), .string(let b)): return compareStrings(a, b, options: options)
    case (.int(let a), .int(let b)): return a < b ? -1 : (a == b ? 0 : 1)
    case (.decimal(let a), .decimal(let b)): return a < b ? -1 : (a == b ? 0 : 1)
    default: break
    }
    let (leftClass, rightClass) = (storageClass(of: left), storageClass(of: right))
    switch (leftClass, rightClass) {
    case (.null, _), (_, .null): return nil
    case (.number, .number): return orderOfNumbers(left, right)
    case (.text, .text): return compareStrings(text(of: left) ?? "", text(of: right) ?? "", options: options)
    case (.bytes, .bytes): return orderOfBytes(bytes(of: left), bytes(of: right))
    case (.number, .text):
      if rightIsProperty, !leftIsProperty {
        return compareStrings(text(of: left) ?? "", text(of: right) ?? "", options: options)
      }
      if leftIsProperty, let number = numericValue(of: right) { return orderOfNumbers(left, number) }
      return -1
    case (.text, .number):
      if leftIsProperty, !rightIsProperty {
        return compareStrings(text(of: left) ?? "", text(of: right) ?? "", options: options)
      }
      if rightIsProperty, let number = numericValue(of: left) { return orderOfNumbers(number, right) }
      return 1
    case (.number, .bytes), (.text, .bytes): return -1
    case (.bytes, .number), (.bytes, .text): return 1
    default: return nil
    }
  }

  private static func orderOfNumbers(_ left: PredicateConstant, _ right: PredicateConstant) -> Int? {
    if case .decimal(let value) = left { return orderOfNumbers(storedNumber(value), right) }
    if case .decimal(let value) = right { return orderOfNumbers(left, storedNumber(value)) }
    switch (integer(left), integer(right)) {
    case (let a?, let b?): return a < b ? -1 : (a == b ? 0 : 1)
    case (let a?, nil): return order(a, right.number ?? .nan)
    case (nil, let b?): return order(b, left.number ?? .nan).map { -$0 }
    case (nil, nil):
      let (a, b) = (left.number ?? .nan, right.number ?? .nan)
      return a < b ? -1 : (a == b ? 0 : (a > b ? 1 : nil))
    }
  }

  /// The number that SQLite keeps of a decimal: an integer where it is one of 64 bits, else the nearest double.
  static func storedNumber(_ value: Decimal) -> PredicateConstant {
    let digits = value.description
    return Int64(digits).map(PredicateConstant.int) ?? .double(Double(digits) ?? .nan)
  }

  private static func integer(_ constant: PredicateConstant) -> Int64? {
    switch constant {
    case .int(let value): value
    case .bool(let value): value ? 1 : 0
    default: nil
    }
  }

  /// Exact, even where converting the integer would round it.
  private static func order(_ integer: Int64, _ real: Double) -> Int? {
    if real.isNaN { return nil }
    if real >= 0x1p63 { return -1 }
    if real < -0x1p63 { return 1 }
    let whole = Int64(real.rounded(.towardZero))
    if integer != whole { return integer < whole ? -1 : 1 }
    let fraction = real - real.rounded(.towardZero)
    return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
  }

  private static func bytes(of constant: PredicateConstant) -> Data {
    switch constant {
    case .data(let data): data
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }
    case .nothing, .bool, .int, .double, .date, .string, .url, .decimal, .collection, .object, .other: Data()
    }
  }

  private static func orderOfBytes(_ a: Data, _ b: Data) -> Int {
    if a == b { return 0 }
    return a.lexicographicallyPrecedes(b) ? -1 : 1
  }

  /// A text as a number, if all of it is one.
  static func numericValue(of constant: PredicateConstant) -> PredicateConstant? {
    guard let text = text(of: constant)?.trimmingCharacters(in: .whitespaces) else { return nil }
    guard let first = text.utf8.first, first &- 0x30 < 10 || first == 0x2B || first == 0x2D || first == 0x2E,
      !text.lowercased().hasPrefix("0x")
    else { return nil }
    return Int64(text).map(PredicateConstant.int) ?? Double(text).map(PredicateConstant.double)
  }

  /// The number that a text begins with, or 0, as with SQLite's `CAST`.
  static func leadingNumber(of text: String) -> PredicateConstant {
    let bytes = Array(text.utf8)
    var end = bytes.prefix { $0 == 0x20 || 9...13 ~= $0 }.count
    let start = end
    func skipDigits() -> Bool {
      let before = end
      while end < bytes.count, bytes[end] &- 0x30 < 10 { end += 1 }
      return end > before
    }
    func isAt(_ signs: StaticString) -> Bool {
      end < bytes.count && signs.withUTF8Buffer { $0.contains(bytes[end]) }
    }
    if isAt("+-") { end += 1 }
    var hasDigits = skipDigits()
    var isWhole = true
    if isAt(".") {
      end += 1
      if skipDigits() {
        hasDigits = true
        isWhole = false
      }
    }
    guard hasDigits else { return .int(0) }
    let mantissa = end
    if isAt("eE") {
      end += 1
      if isAt("+-") { end += 1 }
      if skipDigits() { isWhole = false } else { end = mantissa }
    }
    let digits = String(decoding: bytes[start..<end], as: UTF8.self)
    if isWhole, let integer = Int64(digits.prefix { $0 != "." }) { return .int(integer) }
    return .double(strtod(digits, nil))
  }

  /// The text of texts and numbers, for string operators; nil for others.
  static func text(of constant: PredicateConstant) -> String? {
    switch constant {
    case .string(let value): value
    case .url(let value): value.absoluteString
    case .int(let value): String(value)
    case .bool(let value): value ? "1" : "0"
    // SQLite keeps no negative zero.
    case .double(let value): (value == 0 ? 0 : value).description
    case .date(let value): text(of: .double(value.timeIntervalSinceReferenceDate))
    case .decimal(let value): value.description
    case .nothing, .data, .uuid, .collection, .object, .other: nil
    }
  }

  /// Whether two values are equal. nil equals nil.
  static func equal(
    _ left: PredicateValue, _ right: PredicateValue, options: Comparison.Options = [],
    leftIsProperty: Bool = true, rightIsProperty: Bool = true
  ) -> Bool {
    switch (left, right) {
    case (.constant(let a), .constant(let b)):
      if a.isNull || b.isNull { return a.isNull && b.isNull }
      switch (a, b) {
      case (.object, .object), (.other, .other): return a == b
      case (.collection, .collection): return SetArithmetic.sameMembers(left, right)
      default: break
      }
      return order(
        a, b, options: options, leftIsProperty: leftIsProperty, rightIsProperty: rightIsProperty) == 0
    case (.subject(let a), .subject(let b)): return same(a.predicateIdentity, b.predicateIdentity)
    case (.subject(let a), .constant(.object(let b))):
      return same(a.predicateIdentity, PredicateConstant.identity(of: b))
    case (.constant(.object(let a)), .subject(let b)):
      return same(PredicateConstant.identity(of: a), b.predicateIdentity)
    case (.subject(let a), .constant(.other(let b))): return same(a.predicateIdentity, b as? AnyHashable)
    case (.constant(.other(let a)), .subject(let b)): return same(a as? AnyHashable, b.predicateIdentity)
    case (.subject, .constant), (.constant, .subject): return false
    default: return SetArithmetic.sameMembers(left, right)
    }
  }

  private static func same(_ a: AnyHashable?, _ b: AnyHashable?) -> Bool { a != nil && a == b }
}

/// Collections as sets.
enum SetArithmetic {
  static func perform(
    _ operation: ExpressionNode.SetOperation, left: PredicateValue, right: PredicateValue
  ) -> PredicateValue {
    let a = left.members ?? (left.isNull ? [] : [left])
    let b = right.members ?? (right.isNull ? [] : [right])
    switch operation {
    case .union: return .values(distinct(a + b))
    case .intersect: return .values(distinct(parted(a, by: b).inside))
    case .minus: return .values(distinct(parted(a, by: b).outside))
    }
  }

  static func contains(_ members: [PredicateValue], _ value: PredicateValue) -> Bool {
    members.contains { ValueComparison.equal($0, value) }
  }

  static func distinct(_ members: [PredicateValue]) -> [PredicateValue] {
    var result: [PredicateValue] = []
    if members.count > few, let numbers = ConstantSet.numbers(of: members) {
      var seen: Set<Int> = []
      for (member, number) in zip(members, numbers) where seen.insert(number).inserted { result.append(member) }
      return result
    }
    for member in members where !contains(result, member) { result.append(member) }
    return result
  }

  static func sameMembers(_ left: PredicateValue, _ right: PredicateValue) -> Bool {
    guard let a = left.members, let b = right.members else { return false }
    if a.count > few, b.count > few, let numbers = ConstantSet.numbers(of: a + b) {
      return Set(numbers.prefix(a.count)) == Set(numbers.dropFirst(a.count))
    }
    return a.allSatisfy { contains(b, $0) } && b.allSatisfy { contains(a, $0) }
  }

  /// Up to so many members are compared one by one.
  private static let few = 16

  /// The members that are among others, and those that are not.
  private static func parted(
    _ members: [PredicateValue], by others: [PredicateValue]
  ) -> (inside: [PredicateValue], outside: [PredicateValue]) {
    var (inside, outside): ([PredicateValue], [PredicateValue]) = ([], [])
    if members.count > few, others.count > few, let numbers = ConstantSet.numbers(of: others + members) {
      let wanted = Set(numbers.prefix(others.count))
      for (member, number) in zip(members, numbers.dropFirst(others.count)) {
        if wanted.contains(number) { inside.append(member) } else { outside.append(member) }
      }
      return (inside, outside)
    }
    for member in members { if contains(others, member) { inside.append(member) } else { outside.append(member) } }
    return (inside, outside)
  }
}

extension PredicateConstant {
  /// Whether it is NaN, or the date at NaN seconds: not equal to itself, without an order, and null in SQLite.
  var isNotANumber: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }

  /// What groups and distinct results are told apart by. As in SQLite, all that is no number is one, and nil.
  var distinction: PredicateConstant { isNotANumber ? .null : self }
}
