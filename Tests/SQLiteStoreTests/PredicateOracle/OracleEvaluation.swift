import Foundation

/// A value as predicates compare it. Numbers are whole or not; Booleans count as 1 and 0, dates as seconds since
/// 2001, decimals as the nearest floating number; URLs are texts, and UUIDs sixteen bytes.
enum OracleValue {
  case null
  case int(Int64)
  case real(Double)
  case text(String)
  case bytes([UInt8])
  case object(Int)
  case many([OracleValue])

  init(_ constant: OracleConstant) {
    switch constant {
    case .null: self = .null
    case .flag(let value): self = .int(value ? 1 : 0)
    case .int(let value): self = .int(value)
    case .real(let value), .date(let value): self = .real(value)
    case .decimal(let digits): self = .real(Double(digits)!)
    case .text(let value), .link(let value): self = .text(value)
    case .uuid(let value): self = .bytes(withUnsafeBytes(of: value.uuid) { Array($0) })
    case .bytes(let value): self = .bytes(value)
    case .object(let number): self = .object(number)
    }
  }

  var isNull: Bool { if case .null = self { true } else { false } }
  var members: [OracleValue] { if case .many(let members) = self { members } else { [self] } }
}

/// What a predicate means, said as plainly as possible.
struct OracleEvaluation {
  let data: OracleData
  /// SELF, and the variables of the SUBQUERYs around.
  var objects: [String: Int]

  init(_ data: OracleData, _ number: Int) {
    self.data = data
    objects = ["": number]
  }

  /// There are two outcomes.
  func holds(_ predicate: OraclePredicate) -> Bool {
    switch predicate {
    case .truth(let value): value
    case .and(let parts): parts.allSatisfy(holds)
    case .or(let parts): parts.contains(where: holds)
    case .not(let part): !holds(part)
    case .compare(let comparison): holds(comparison)
    }
  }

  private func holds(_ comparison: OracleComparison) -> Bool {
    let left = value(comparison.left)
    let right = value(comparison.right)
    func test(_ member: OracleValue) -> Bool { holds(comparison, member, right) }
    guard case .many(let members) = left else {
      let isMember = test(left)
      return comparison.modifier == .none ? !isMember : isMember
    }
    switch comparison.modifier {
    case .all: return members.allSatisfy(test)
    case .none: return !members.contains(where: test)
    case .direct where right.isNull && isRelationship(comparison.left) && comparison.operator == .equal:
      // `books == nil` asks whether there are none.
      return members.isEmpty
    case .direct where right.isNull && isRelationship(comparison.left) && comparison.operator == .unequal:
      return !members.isEmpty
    case .any, .direct: return members.contains(where: test)
    }
  }

  /// Of single values.
  private func holds(_ comparison: OracleComparison, _ left: OracleValue, _ right: OracleValue) -> Bool {
    let leads = rule(comparison.left)
    func order(_ bound: OracleValue, _ expression: OracleExpression) -> Int? {
      OracleOrder(comparison.options, leads, rule(expression)).of(left, bound)
    }
    /// nil equals nil and nothing else.
    func equals(_ other: OracleValue, _ expression: OracleExpression) -> Bool {
      if left.isNull || other.isNull { return left.isNull && other.isNull }
      return order(other, expression) == 0
    }
    switch comparison.operator {
    case .equal: return equals(right, comparison.right)
    case .unequal: return !equals(right, comparison.right)
    // nil is neither less nor greater.
    case .less: return order(right, comparison.right).map { $0 < 0 } ?? false
    case .atMost: return order(right, comparison.right).map { $0 <= 0 } ?? false
    case .greater: return order(right, comparison.right).map { $0 > 0 } ?? false
    case .atLeast: return order(right, comparison.right).map { $0 >= 0 } ?? false
    case .between:
      guard case .list(let bounds) = comparison.right, bounds.count == 2,
        let low = order(value(bounds[0]), bounds[0]), let high = order(value(bounds[1]), bounds[1])
      else { return false }
      return low >= 0 && high <= 0
    case .in:
      // A text in a text is a part of it; nil is in nothing, and nothing is nil's equal in a collection.
      if case .text(let whole) = right, let piece = wording(left) {
        return OracleText.search(whole, piece, .contains, comparison.options)
      }
      guard !left.isNull, case .many(let members) = right else { return false }
      if case .list(let expressions) = comparison.right {
        return zip(members, expressions).contains { !$0.isNull && equals($0, $1) }
      }
      return members.contains { !$0.isNull && equals($0, comparison.right) }
    case .contains:
      // `books CONTAINS book` asks for a member, not for a part of a text.
      if case .object = right { return equals(right, comparison.right) }
      guard let text = wording(left), let piece = wording(right) else { return false }
      return OracleText.search(text, piece, .contains, comparison.options)
    case .begins, .ends, .like, .matches:
      guard let text = wording(left), let pattern = wording(right) else { return false }
      switch comparison.operator {
      case .like: return OracleText.isLike(text, pattern, comparison.options)
      case .matches: return OracleText.matches(text, pattern, comparison.options)
      case let operation: return OracleText.search(text, pattern, operation, comparison.options)
      }
    }
  }

  /// Whether a key path ends in a relationship to many.
  private func isRelationship(_ expression: OracleExpression) -> Bool {
    guard case .path(let variable, let path) = expression, let start = objects[variable ?? ""] else {
      return false
    }
    var entity = data[start].entity
    for (index, key) in path.enumerated() {
      guard let relationship = data.model.relationship(key, of: entity) else { return false }
      if relationship.isToMany { return index == path.count - 1 }
      entity = relationship.destination
    }
    return false
  }

  /// In which class a number and a text meet on account of one side: an attribute's; others have none.
  private func rule(_ expression: OracleExpression) -> OracleOrder.Rule {
    guard case .path(let variable, let path) = expression, let start = objects[variable ?? ""] else {
      return .none
    }
    var entity = data[start].entity
    for key in path {
      if let attribute = data.model.attribute(key, of: entity) {
        switch attribute.kind {
        case .text, .link: return .text
        case .uuid, .bytes: return .none
        default: return .number
        }
      }
      guard let relationship = data.model.relationship(key, of: entity) else { return .none }
      entity = relationship.destination
    }
    return .none
  }

  /// Texts, and the digits of numbers.
  func wording(_ value: OracleValue) -> String? {
    switch value {
    case .text(let text): text
    case .int(let number): "\(number)"
    case .real(let number): "\(number == 0 ? 0 : number)"
    default: nil
    }
  }
}

/// The order of two values.
struct OracleOrder {
  enum Rule { case number, text, none }
  let options: String
  let left: Rule
  let right: Rule

  init(_ options: String, _ left: Rule = .none, _ right: Rule = .none) {
    (self.options, self.left, self.right) = (options, left, right)
  }

  /// Negative, 0, positive; nil where there is none: with nil, and between objects that are not the same.
  func of(_ a: OracleValue, _ b: OracleValue) -> Int? {
    switch (a, b) {
    case (.int(let x), .int(let y)): return x < y ? -1 : x == y ? 0 : 1
    case (.real(let x), .real(let y)): return x < y ? -1 : x == y ? 0 : 1
    // A whole number and a fraction are compared exactly, not after rounding.
    case (.int(let x), .real(let y)): return Float80(x) < Float80(y) ? -1 : Float80(x) == Float80(y) ? 0 : 1
    case (.real, .int): return of(b, a).map { -$0 }
    case (.text(let x), .text(let y)):
      return order(OracleText.bytes(x, options), OracleText.bytes(y, options))
    case (.bytes(let x), .bytes(let y)): return order(x, y)
    case (.object(let x), .object(let y)): return x == y ? 0 : nil
    case (.int, .text(let text)), (.real, .text(let text)):
      // If either is a number's attribute, a text that is a number counts as that; else, beside a text's attribute,
      // the number counts as its digits; else numbers come first.
      if left == .number || right == .number { return OracleText.number(text).map { of(a, $0)! } ?? -1 }
      return right == .text || left == .text ? of(.text(digits(a)), b) : -1
    case (.text, .int), (.text, .real): return OracleOrder(options, right, left).of(b, a).map { -$0 }
    // Bytes come last.
    case (.bytes, .int), (.bytes, .real), (.bytes, .text): return 1
    case (.int, .bytes), (.real, .bytes), (.text, .bytes): return -1
    default: return nil
    }
  }

  private func digits(_ value: OracleValue) -> String {
    if case .int(let number) = value { return "\(number)" }
    if case .real(let number) = value { return "\(number)" }
    return ""
  }

  private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
    a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
  }
}
