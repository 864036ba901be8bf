import Foundation

extension OracleGenerator {
  /// What relationships to many lead to.
  mutating func members(_ scope: OracleScope, _ depth: Int) -> OracleComparison? {
    var comparison: OracleComparison
    let start = start(scope)
    switch dice.roll(6) {
    case 0:
      guard let path = path(from: start.entity, many: 1...2, { $0.attribute == nil }) else { return nil }
      let left = OracleExpression.path(from: start.variable, path.keys)
      if dice.chance(1, in: 2) {
        // The other way round: x IN members.
        let right = dice.chance(1, in: 3) ? reference(scope).expression : .constant(object(path.entity))
        return OracleComparison(left: right, operator: .in, right: left)
      }
      let operation: OracleComparison.Operator = path.endsToMany && dice.chance(1, in: 3) ? .contains : .equal
      comparison = OracleComparison(left: left, operator: operation, right: .constant(object(path.entity)))
      if operation == .contains { return comparison }
    case 1:
      guard let found = attribute(scope, many: 1...2, { $0 != .decimal }) else { return nil }
      let right =
        dice.chance(1, in: 2) ? attribute(scope, { $0 == found.kind })?.expression : nil
      return OracleComparison(
        left: right ?? .constant(constant(found.kind)), operator: .in, right: found.expression)
    case 2:
      guard depth > 0, let found = subquery(scope, depth), found.attributes.count > 0 else { return nil }
      let attribute = dice.pick(found.attributes)
      guard case .subquery(let collection, let variable, let predicate, _) = found.expression else {
        return nil
      }
      comparison = compared(
        .subquery(collection, variable, predicate, [attribute.name]), { _ in nil },
        { $0.constant(attribute.kind) })
    default:
      guard let found = attribute(scope, many: 1...2, { _ in true }) else { return nil }
      if found.kind == .text {
        comparison = search(found.expression, { .constant(.text($0.text())) })
        if comparison.operator == .in { comparison.operator = .equal }
      } else {
        comparison = compared(
          found.expression, { $0.attribute(scope, { $0 == found.kind })?.expression },
          { $0.constant(found.kind) })
      }
    }
    // Sides may have been exchanged.
    guard isMany(comparison.left, scope), !isMany(comparison.right, scope) else { return nil }
    comparison.modifier = dice.pick([.any, .any, .none, .direct])
    return comparison
  }

  private func isMany(_ expression: OracleExpression, _ scope: OracleScope) -> Bool {
    if case .subquery = expression { return true }
    guard case .path(let variable, let keys) = expression,
      var entity = scope.starts.last(where: { $0.variable == variable })?.entity
    else { return false }
    for key in keys {
      guard let relationship = model.relationship(key, of: entity) else { return false }
      if relationship.isToMany { return true }
      entity = relationship.destination
    }
    return false
  }

  mutating func emptiness(_ scope: OracleScope) -> OracleComparison? {
    let start = start(scope)
    guard let path = path(from: start.entity, many: 1...1, { $0.endsToMany }) else { return nil }
    return OracleComparison(
      left: .path(from: start.variable, path.keys), operator: dice.chance(1, in: 2) ? .equal : .unequal,
      right: .constant(.null))
  }
}
