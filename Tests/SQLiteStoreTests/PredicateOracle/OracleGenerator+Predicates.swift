import Foundation

/// Where key paths may begin: SELF, and the variables of the SUBQUERYs around.
struct OracleScope {
  var starts: [(variable: String?, entity: String)]

  init(_ entity: String) { starts = [(nil, entity)] }
}

extension OracleGenerator {
  mutating func predicate(_ scope: OracleScope, depth: Int) -> OraclePredicate {
    if depth > 0 {
      switch dice.roll(10) {
      case 0: return .and((0..<(2 + dice.roll(2))).map { _ in predicate(scope, depth: depth - 1) })
      case 1: return .or((0..<(2 + dice.roll(2))).map { _ in predicate(scope, depth: depth - 1) })
      case 2, 3: return .not(predicate(scope, depth: depth - 1))
      default: break
      }
    }
    let found: OracleComparison?
    switch dice.roll(100) {
    case 0..<28: found = numbers(scope, depth)
    case 28..<50: found = texts(scope, depth)
    case 50..<62: found = plain(scope)
    case 62..<72: found = objects(scope)
    case 72..<88: found = members(scope, depth)
    case 88..<93: found = emptiness(scope)
    case 93..<95: found = mixed(scope)
    case 95..<97: found = refused(scope)
    case 97..<98: found = constants()
    default: return .truth(dice.chance(2, in: 3))
    }
    return found.map(OraclePredicate.compare) ?? .truth(true)
  }

  /// The variable nearest by, mostly.
  mutating func start(_ scope: OracleScope) -> (variable: String?, entity: String) {
    dice.chance(3, in: 4) ? scope.starts.last! : dice.pick(scope.starts)
  }

  mutating func attribute(
    _ scope: OracleScope, many: ClosedRange<Int> = 0...0, _ accepts: (OracleKind) -> Bool
  ) -> (expression: OracleExpression, kind: OracleKind)? {
    let start = start(scope)
    guard let path = path(from: start.entity, many: many, { $0.attribute.map { accepts($0.kind) } ?? false })
    else { return nil }
    return (.path(from: start.variable, path.keys), path.attribute!.kind)
  }

  /// `left op right`, with operands from `value` and constants from `constant`: IN and BETWEEN as well.
  mutating func compared(
    _ left: OracleExpression, _ value: (inout Self) -> OracleExpression?,
    _ constant: (inout Self) -> OracleConstant
  ) -> OracleComparison {
    func list(_ count: Int, _ generator: inout Self) -> OracleExpression {
      .list(
        (0..<count).map { _ in
          .constant(generator.dice.chance(1, in: 8) ? .null : constant(&generator))
        })
    }
    switch dice.roll(10) {
    case 0, 1:
      let count = dice.chance(1, in: 60) ? 300 : dice.pick([0, 1, 2, 3, 3, 6, 20])
      return OracleComparison(left: left, operator: .in, right: list(count, &self))
    case 2: return OracleComparison(left: left, operator: .between, right: list(2, &self))
    default: break
    }
    var comparison = OracleComparison(
      left: left, operator: dice.pick(OracleComparison.Operator.orders), right: .constant(.null))
    if dice.chance(1, in: 3), let other = value(&self) {
      comparison.right = other
    } else if !dice.chance(1, in: 10) {
      comparison.right = .constant(constant(&self))
    }
    if dice.chance(1, in: 8) { swap(&comparison.left, &comparison.right) }
    return comparison
  }

  private mutating func numbers(_ scope: OracleScope, _ depth: Int) -> OracleComparison? {
    compared(number(scope, depth), { $0.number(scope, depth - 1) }, { $0.number() })
  }

  private mutating func texts(_ scope: OracleScope, _ depth: Int) -> OracleComparison? {
    let left = text(scope, depth)
    guard dice.chance(3, in: 5) else {
      var comparison = compared(left, { $0.text(scope, depth - 1) }, { .text($0.text()) })
      comparison.options = dice.pick(["", "", "", "c", "d", "cd", "n"])
      return comparison
    }
    return search(left, { $0.text(scope, depth - 1) })
  }

  mutating func search(
    _ left: OracleExpression, _ value: (inout Self) -> OracleExpression
  ) -> OracleComparison {
    let operation = dice.pick(OracleComparison.Operator.texts + [.in])
    var comparison = OracleComparison(left: left, operator: operation, right: .constant(.null))
    comparison.options = dice.pick(["", "", "c", "d", "cd", "n"])
    let isPlace = [.begins, .ends, .contains].contains(operation)
    if isPlace, dice.chance(1, in: 8) { comparison.options += "w" }
    if isPlace, dice.chance(1, in: 5) {
      comparison.right = value(&self)
    } else if !dice.chance(1, in: 15) || operation == .in {
      comparison.right = .constant(.text(pattern(operation)))
    }
    return comparison
  }

  /// Attributes of the other kinds.
  private mutating func plain(_ scope: OracleScope) -> OracleComparison? {
    let kind = dice.pick([OracleKind.date, .uuid, .link, .bytes, .flag, .decimal, .int64])
    guard let left = attribute(scope, { $0 == kind }) else { return nil }
    if kind == .link, dice.chance(1, in: 3) {
      return search(left.expression, { .constant(.text($0.text())) })
    }
    return compared(
      left.expression, { $0.attribute(scope, { $0 == kind })?.expression },
      { $0.dice.chance(1, in: 8) && kind == .date ? .int(1) : $0.constant(kind) })
  }

  /// A to-one relationship, or the object itself.
  mutating func reference(_ scope: OracleScope) -> (expression: OracleExpression, entity: String) {
    let start = start(scope)
    if dice.chance(2, in: 3), let path = path(from: start.entity, { $0.attribute == nil }) {
      return (.path(from: start.variable, path.keys), path.entity)
    }
    return (.path(from: start.variable, []), start.entity)
  }

  mutating func object(_ entity: String) -> OracleConstant {
    objectNumber(near: entity).map(OracleConstant.object) ?? .null
  }

  private mutating func objects(_ scope: OracleScope) -> OracleComparison? {
    let left = reference(scope)
    let operation: OracleComparison.Operator = dice.chance(2, in: 3) ? .equal : .unequal
    switch dice.roll(5) {
    case 0: return OracleComparison(left: left.expression, operator: operation, right: .constant(.null))
    case 1:
      return OracleComparison(left: left.expression, operator: operation, right: reference(scope).expression)
    case 2:
      let members = (0..<dice.roll(4)).map { _ in
        OracleExpression.constant(dice.chance(1, in: 8) ? .null : object(left.entity))
      }
      return OracleComparison(left: left.expression, operator: .in, right: .list(members))
    default:
      return OracleComparison(
        left: left.expression, operator: operation, right: .constant(object(left.entity)))
    }
  }

  /// Texts beside numbers.
  private mutating func mixed(_ scope: OracleScope) -> OracleComparison? {
    let isText = dice.chance(1, in: 2)
    guard let left = attribute(scope, { isText ? $0 == .text : [.int16, .int32, .int64].contains($0) }) else {
      return nil
    }
    if dice.chance(1, in: 3) {
      // Numbers as texts.
      guard let number = attribute(scope, { $0.isNumber && $0 != .decimal })?.expression else { return nil }
      let digits = dice.pick(["0", "5", "-", ".0", "e+", "33", "3333333333333333", "0.1", "6667", ""])
      return OracleComparison(
        left: dice.chance(1, in: 2) ? .arithmetic("/", number, .constant(.real(3))) : number,
        operator: dice.pick([.begins, .ends, .contains]), right: .constant(.text(digits)))
    }
    let right = isText ? OracleConstant.int(dice.pick([0, 1, 5, -1])) : .text(text())
    return OracleComparison(
      left: left.expression, operator: dice.pick(OracleComparison.Operator.orders), right: .constant(right))
  }

  private mutating func constants() -> OracleComparison {
    let isText = dice.chance(1, in: 2)
    return OracleComparison(
      left: .constant(isText ? .text(text()) : number()),
      operator: dice.pick(OracleComparison.Operator.orders),
      right: .constant(dice.chance(1, in: 6) ? .null : isText ? .text(text()) : number()))
  }

  /// What memory can do, and SQL can't.
  private mutating func refused(_ scope: OracleScope) -> OracleComparison? {
    var comparison: OracleComparison
    switch dice.roll(3) {
    case 0:
      guard let found = attribute(scope, many: 1...2, { $0 == .int32 }) else { return nil }
      comparison = OracleComparison(left: found.expression, operator: .atLeast, right: .constant(number()))
      comparison.modifier = .all
    case 1:
      let start = start(scope)
      guard let path = path(from: start.entity, many: 2...2, { $0.endsToMany }) else { return nil }
      comparison = OracleComparison(
        left: .path(from: start.variable, path.keys + ["@count"]), operator: .greater,
        right: .constant(.int(1)))
    default:
      guard let a = attribute(scope, { $0 == .int32 }), let b = attribute(scope, { $0 == .int32 }) else {
        return nil
      }
      comparison = OracleComparison(
        left: a.expression, operator: .between, right: .list([b.expression, .constant(number())]))
    }
    comparison.isRefused = true
    return comparison
  }
}
