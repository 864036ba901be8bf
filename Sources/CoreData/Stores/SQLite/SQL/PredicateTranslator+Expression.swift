extension PredicateTranslator {
  /// Translates an expression.
  func operand(_ node: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand {
    if let aggregate = try aggregateOfRows(node, scope) { return aggregate }
    switch node {
    case .constant(let constant): return .constant(constant)
    case .evaluatedObject: return .reference(.column(scope.source.alias, "Z_PK"), scope.source.layout)
    case .keyPath(let path): return try self.path(path, from: scope.source, scope, whole: path)
    case .variable(let name):
      guard let (_, source) = scope.variables[name] else {
        throw Failure.malformedPredicate(
          format: "$\(name)", offset: nil,
          what: "the variable $\(name) has no value; give it one with withSubstitutionVariables(_:)")
      }
      return .reference(.column(source.alias, "Z_PK"), source.layout)
    case .nested(let base, let path): return try nested(base, path: path, scope: scope)
    case .function(let selector, let arguments):
      if let path = node.keyPathCall { return try operand(path, scope) }
      return try function(selector, arguments: arguments, scope: scope)
    case .aggregate(let members):
      return .constant(
        .collection(
          try members.map { member in
            guard case .constant(let constant) = try operand(member, scope) else {
              throw scope.unsupported("An aggregate with members that are not constants")
            }
            return constant
          }))
    case .subquery(let collection, let variable, let predicate):
      guard case .collection(var found) = try operand(collection, scope), found.rest.isEmpty else {
        throw scope.unsupported("A SUBQUERY over something else than a to-many relationship")
      }
      found.filter = (variable, predicate)
      return .collection(found)
    case .conditional(let predicate, let yes, let no):
      let test = try condition(predicate, scope)
      let (a, b) = (try operand(yes, scope), try operand(no, scope))
      // Nil is of the other branch's kind.
      let kinds = [a, b].filter { !$0.isNull }.map { $0.kind ?? $0.constantKind }
      let isOneKind = kinds.first == kinds.last
      let values = try [a, b].map { isOneKind ? try expression($0, scope) : try number($0, scope) }
      return .value(.conditional(test, then: values[0], else: values[1]), isOneKind ? kinds.first ?? nil : nil)
    case .setOperation(let operation, _, _):
      throw scope.unsupported("The operation \(operation.rawValue)")
    case .index(let base, .size):
      guard case .collection(let found) = try operand(base, scope) else {
        throw scope.unsupported("[SIZE] of something else than a to-many relationship")
      }
      return try aggregate(.count, collection: found, scope: scope)
    case .index(.fetch(let request, _, countOnly: false), .first): return try first(of: request, scope)
    case .index: throw scope.unsupported("An index")
    case .assignment: throw scope.unsupported("An assignment")
    case .anyKey: throw scope.unsupported("ANYKEY")
    case .block: throw scope.unsupported("A block expression")
    case .fetch(let request, _, countOnly: true): return try count(of: request, scope)
    case .fetch(let request, _, countOnly: false):
      let sub = try subFetch(request, scope)
      if sub.isCount { return try count(of: request, scope) }
      throw scope.unsupported("\(PredicatePrinter.print(node)) in another place than behind IN")
    }
  }

  func expression(_ operand: SQLOperand, _ scope: QueryScope) throws -> SQLExpression {
    switch operand {
    case .value(let value, _), .reference(let value, _), .entity(let value): return value
    case .constant(let constant):
      if constant.isNull || constant.isNotANumber { return .null }
      guard let bound = try binding(constant, for: .value(.null, nil), scope) else {
        throw scope.unsupported("The constant \(constant)")
      }
      return .bound(bound)
    case .collection:
      throw scope.unsupported("A to-many key path in this place")
    }
  }

  /// An operand of a function. SQLite keeps a whole decimal or date as an integer; it is made a real here, so that a
  /// division doesn't cut it.
  func number(_ operand: SQLOperand, _ scope: QueryScope) throws -> SQLExpression {
    switch operand {
    case .value(let value, .decimal?), .value(let value, .date?): return .arithmetic(.word("1.0"), .times, value)
    case .constant(.decimal(let value)): return .bound(.double(NSDecimalNumber(decimal: value).doubleValue))
    default: return try expression(operand, scope)
    }
  }

  /// A value as a text. Floating numbers are written as they are in memory.
  func text(_ value: SQLExpression, _ kind: SlotKind?) -> SQLExpression {
    // An engine with strict types overloads this function for each type of number.
    if dialect == .postgreSQL { return kind?.form == .text ? value : .ownCall("NSCoreDataText", [value]) }
    if kind == .date { return .ownCall("NSCoreDataText", [.infix(.word("1.0"), "*", value)]) }
    return kind == nil || kind?.form == .real ? .ownCall("NSCoreDataText", [value]) : value
  }

}
