import Foundation

extension OracleGenerator {
  mutating func number(_ scope: OracleScope, _ depth: Int) -> OracleExpression {
    let deeper = depth - 1
    var found: OracleExpression?
    switch depth > 0 ? dice.roll(24) : 20 {
    case 0, 1, 2:
      let sign = dice.pick(["+", "-", "*", "/"])
      found = .arithmetic(sign, number(scope, deeper), number(scope, deeper))
    case 3, 4:
      found = .function(
        dice.pick(["abs", "abs", "floor", "ceiling", "trunc", "sqrt"]), [number(scope, deeper)])
    case 5:
      let text = dice.chance(1, in: 3) ? written(scope) : nil
      found = .function("length", [text ?? self.text(scope, deeper)])
    case 6:
      if let bytes = attribute(scope, { $0 == .bytes }) { found = .function("length", [bytes.expression]) }
    case 7: found = .ternary(predicate(scope, depth: 0), number(scope, deeper), number(scope, deeper))
    case 8: found = .cast(text(scope, deeper), "NSNumber")
    case 9:
      found = .function(dice.pick(["min", "max", "sum"]), [number(scope, deeper), number(scope, deeper)])
    case 10, 11, 12: found = collected(scope)
    case 13, 14: found = subquery(scope, depth).map { counted($0.expression, $0.attributes) }
    case 15: found = attribute(scope, { $0 == .flag || $0 == .date })?.expression
    case 16: found = .constant(number())
    default: break
    }
    return found ?? attribute(scope, \.isNumber)?.expression ?? .constant(number())
  }

  mutating func text(_ scope: OracleScope, _ depth: Int) -> OracleExpression {
    let deeper = depth - 1
    var found: OracleExpression?
    switch depth > 0 ? dice.roll(20) : 18 {
    case 0, 1: found = .function(dice.pick(["uppercase", "lowercase"]), [text(scope, deeper)])
    case 2: found = .ternary(predicate(scope, depth: 0), text(scope, deeper), text(scope, deeper))
    case 3: found = written(scope)
    case 4:
      let start = start(scope)
      if let path = path(from: start.entity, many: 1...1, { $0.endsToMany }),
        let attribute = model.attributes(of: path.entity).filter({ $0.kind == .text }).randomElement(
          using: &dice)
      {
        found = .path(from: start.variable, path.keys + [dice.pick(["@min", "@max"]), attribute.name])
      }
    case 5: found = .constant(.text(text()))
    default: break
    }
    return found ?? attribute(scope, { $0 == .text })?.expression ?? .constant(.text(text()))
  }

  /// A number as a text, if it has one way to be written only.
  private mutating func written(_ scope: OracleScope) -> OracleExpression? {
    guard let number = attribute(scope, { $0 == .flag || ($0.isNumber && $0 != .decimal) })?.expression else {
      return nil
    }
    return .cast(dice.chance(1, in: 3) ? .arithmetic("/", number, .constant(.real(3))) : number, "NSString")
  }

  /// `kids.@sum.age` and its kin.
  private mutating func collected(_ scope: OracleScope) -> OracleExpression? {
    let start = start(scope)
    guard let path = path(from: start.entity, many: 1...1, { $0.endsToMany }) else { return nil }
    if dice.chance(1, in: 3) { return .path(from: start.variable, path.keys + ["@count"]) }
    let name = dice.pick(["@sum", "@min", "@max", "@avg"])
    let keys = self.path(from: path.entity) { behind in
      guard behind.keys.count < 3, let kind = behind.attribute?.kind else { return false }
      switch name {
      case "@sum", "@avg": return kind.isSummable
      default: return kind.isNumber
      }
    }?.keys
    return keys.map { .path(from: start.variable, path.keys + [name] + $0) }
  }

  /// A SUBQUERY, and the attributes of what it finds.
  mutating func subquery(
    _ scope: OracleScope, _ depth: Int
  ) -> (expression: OracleExpression, attributes: [OracleAttribute])? {
    let start = start(scope)
    guard scope.starts.count < 4, let path = path(from: start.entity, many: 1...1, { $0.endsToMany }) else {
      return nil
    }
    var inner = scope
    let variable = ["x", "y", "z"][scope.starts.count - 1]
    inner.starts.append((variable, path.entity))
    let predicate = predicate(inner, depth: min(depth - 1, 1))
    return (
      .subquery(.path(from: start.variable, path.keys), variable, predicate, []),
      model.attributes(of: path.entity)
    )
  }

  private mutating func counted(
    _ expression: OracleExpression, _ attributes: [OracleAttribute]
  ) -> OracleExpression {
    guard case .subquery(let collection, let variable, let predicate, _) = expression else {
      return expression
    }
    var keys = ["@count"]
    let numbers = attributes.filter { $0.kind.isSummable }
    if let attribute = numbers.randomElement(using: &dice), dice.chance(1, in: 4) {
      keys = [dice.pick(["@sum", "@min", "@max"]), attribute.name]
    }
    return .subquery(collection, variable, predicate, keys)
  }

  mutating func request() -> OracleRequest {
    let entity = dice.pick(model.entities).name
    var request = OracleRequest(entity: entity)
    if !dice.chance(1, in: 20) {
      request.predicate = predicate(OracleScope(entity), depth: dice.pick([0, 1, 1, 2, 3]))
    }
    request.withSubentities = !dice.chance(1, in: 6)
    request.spelling = dice.chance(1, in: 4) ? 0 : dice.next()
    switch dice.roll(12) {
    case 0: request.result = .ids
    case 1: request.result = .count
    case 2: return dictionaries(request)
    default: break
    }
    if dice.chance(1, in: 3) {
      for _ in 0..<(1 + dice.roll(3)) {
        guard let path = path(from: entity, { $0.attribute != nil }) else { continue }
        request.sort.append(
          OracleRequest.Sort(
            path: path.keys, isAscending: dice.chance(1, in: 2),
            ignoresCase: path.attribute!.kind == .text && dice.chance(1, in: 3)))
      }
    }
    if dice.chance(1, in: 5) { request.limit = 1 + dice.roll(4) }
    if dice.chance(1, in: 6) { request.offset = dice.roll(4) }
    return request
  }

  private mutating func dictionaries(_ request: OracleRequest) -> OracleRequest {
    var request = request
    request.result = .dictionaries
    let entity = request.entity
    func plain(_ generator: inout Self) -> [String]? {
      generator.path(from: entity) { $0.attribute != nil }?.keys
    }
    let isGrouped = dice.chance(1, in: 3)
    for _ in 0..<(1 + dice.roll(2)) where isGrouped || dice.chance(1, in: 2) {
      guard let path = plain(&self) else { continue }
      if isGrouped { request.groups.append(path) }
      request.columns.append(.path(path))
    }
    for _ in 0..<(isGrouped || request.columns.isEmpty ? 1 + dice.roll(2) : dice.roll(2)) {
      let function = dice.pick(["count", "sum", "min", "max", "average"])
      let found = path(from: entity) { path in
        guard let kind = path.attribute?.kind else { return false }
        return function == "count" || kind.isSummable
      }
      if let found { request.columns.append(.aggregate(function, found.keys)) }
    }
    request.columns = request.columns.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    if isGrouped, request.columns.last?.isAggregate == true, dice.chance(1, in: 3) {
      request.having = Int64(dice.roll(3))
    }
    request.isDistinct = dice.chance(1, in: 4)
    if case .path(let path)? = request.columns.first, dice.chance(1, in: 3) {
      request.sort = [OracleRequest.Sort(path: path, isAscending: dice.chance(1, in: 2))]
    }
    if dice.chance(1, in: 6) { request.limit = 1 + dice.roll(3) }
    if request.columns.isEmpty || (!request.groups.isEmpty && !request.columns.contains { $0.isAggregate }) {
      request.result = .objects
      request.columns = []
      request.groups = []
      request.having = nil
      request.limit = 0
      request.isDistinct = false
    }
    return request
  }
}
