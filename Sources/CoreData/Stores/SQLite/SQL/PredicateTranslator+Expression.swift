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
      if constant.isNull { return .null }
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
  private func number(_ operand: SQLOperand, _ scope: QueryScope) throws -> SQLExpression {
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

  // Key paths.

  /// The value of a column. If the column may hold the name of a file, it is the content of the file.
  static func value(_ column: SlotColumn, in source: QueryScope.Source) -> SQLExpression {
    let value = SQLExpression.column(source.alias, column.name)
    return column.isTagged ? .storedData(value) : value
  }

  private func path(
    _ path: [String], from start: QueryScope.Source, _ scope: QueryScope, whole: [String]
  ) throws -> SQLOperand {
    var source = start
    for (index, name) in path.enumerated() {
      let rest = Array(path[(index + 1)...])
      guard let property = source.layout.property(named: name), !property.isTransient, property.kind != .fetched
      else {
        if rest.isEmpty, source.layout.property(named: name) == nil {
          if name == "objectID" || name.lowercased() == "self" {
            return .reference(.column(source.alias, "Z_PK"), source.layout)
          }
          if name == "entity" { return .entity(.column(source.alias, "Z_ENT")) }
        }
        throw Failure.unknownKeyPath(
          keyPath: whole.joined(separator: "."), entity: start.layout.name, missing: name)
      }
      switch property.kind.role {
      case .toMany:
        let collection = SQLCollection(scope: scope, owner: source, relationship: property, rest: rest)
        if let place = rest.firstIndex(where: { $0.hasPrefix("@") }) {
          return try aggregate(collection, at: place, scope)
        }
        return .collection(collection)
      case .toOne:
        if rest.isEmpty || rest == ["objectID"] {
          let column = try scope.column(of: property, in: source)
          return .reference(
            .column(source.alias, column.name), scope.schema.layouts.layouts[property.destination])
        }
        source = try scope.destination(of: property, from: source)
      case .attribute, .fetched, .composite:
        guard rest.isEmpty else {
          if rest == ["length"], property.kind == .string || property.kind == .binary {
            let column = try scope.column(of: property, in: source)
            return .value(.call("length", [PredicateTranslator.value(column, in: source)]), .int64)
          }
          throw Failure.unknownKeyPath(
            keyPath: whole.joined(separator: "."), entity: start.layout.name, missing: rest[0])
        }
        let column = try scope.column(of: property, in: source)
        return .value(PredicateTranslator.value(column, in: source), property.kind)
      }
    }
    return .reference(.column(source.alias, "Z_PK"), source.layout)
  }

  private func nested(_ base: ExpressionNode, path: [String], scope: QueryScope) throws -> SQLOperand {
    if case .variable(let name) = base, let (inner, source) = scope.variables[name] {
      // The variable may belong to a sub-select further out. Its path is joined there, because its table is there.
      return try self.path(path, from: source, inner, whole: path)
    }
    // A hierarchy has one table, where the columns of a subentity are nil in other rows, so the path needs no test.
    if base.cast != nil, let (place, source) = try source(of: base, scope) {
      return try self.path(path, from: source, place, whole: path)
    }
    guard case .collection(let collection) = try operand(base, scope) else {
      throw scope.unsupported("The key path \(path.joined(separator: ".")) on an expression")
    }
    let whole = SQLCollection(
      scope: collection.scope, owner: collection.owner, relationship: collection.relationship,
      rest: collection.rest + path, filter: collection.filter)
    if let place = whole.rest.firstIndex(where: { $0.hasPrefix("@") }) {
      return try aggregate(whole, at: place, scope)
    }
    return .collection(whole)
  }

  /// The table with the row of an object, and the scope that joins its paths; nil for what is no object.
  private func source(of node: ExpressionNode, _ scope: QueryScope) throws -> (QueryScope, QueryScope.Source)? {
    if let cast = node.cast {
      guard let layout = scope.schema.layouts.layout(of: cast.entity),
        let (place, source) = try source(of: cast.object, scope)
      else { return nil }
      return (place, source.seen(as: layout))
    }
    switch node {
    case .evaluatedObject: return (scope, scope.source)
    case .variable(let name): return scope.variables[name].map { ($0.scope, $0.source) }
    case .keyPath(let path): return try destination(of: path, from: scope.source, scope).map { (scope, $0) }
    case .nested(let base, let path):
      guard let (place, source) = try source(of: base, scope) else { return nil }
      return try destination(of: path, from: source, place).map { (place, $0) }
    default: return nil
    }
  }

  /// The table at the end of a path of to-one relationships; nil for another path.
  private func destination(
    of path: [String], from start: QueryScope.Source, _ scope: QueryScope
  ) throws -> QueryScope.Source? {
    var source = start
    for name in path {
      guard let property = source.layout.property(named: name), property.kind == .toOne else { return nil }
      source = try scope.destination(of: property, from: source)
    }
    return source
  }

  // Functions.

  private func function(_ selector: String, arguments: [ExpressionNode], scope: QueryScope) throws -> SQLOperand {
    guard let function = PredicateFunction(rawValue: selector) else {
      var name = selector
      if selector == PredicateFunction.methodCall, arguments.count > 1,
        case .constant(.string(let method)) = arguments[1]
      {
        name += "(…, \"\(method)\")"
      }
      throw scope.refused("Unsupported function expression \(name)")
    }
    guard function.accepts(arguments.count) else {
      throw scope.refused("Unsupported function expression \(selector) with \(arguments.count) arguments")
    }
    if arguments.count == 1, let aggregate = try aggregateFunction(function, argument: arguments[0], scope: scope) {
      return aggregate
    }
    switch FunctionTranslation(function, count: arguments.count) {
    case .arithmetic(let sign):
      let (left, right) = (try argument(arguments[0], scope), try argument(arguments[1], scope))
      let isReal = [left, right].contains { $0.kind?.form == .real || $0.kind?.form == .decimal }
      return .value(.arithmetic(left.value, sign, right.value), isReal ? .double : nil)
    case .call(let name, let kind):
      return .value(.call(name, try arguments.map { try argument($0, scope).value }), kind)
    case .own(let name): return .value(.ownCall(name, [try textArgument(arguments[0], scope)]), .string)
    case .special(let translate): return try translate(self)(arguments, scope)
    case .refused: throw scope.refused("Unsupported function expression \(selector)")
    }
  }

  /// An argument of a function, as a number where it can be one.
  private func argument(_ node: ExpressionNode, _ scope: QueryScope) throws -> (value: SQLExpression, kind: SlotKind?) {
    let operand = try operand(node, scope)
    return (try number(operand, scope), operand.kind)
  }

  private func textArgument(_ node: ExpressionNode, _ scope: QueryScope) throws -> SQLExpression {
    let (value, kind) = try argument(node, scope)
    return text(value, kind)
  }

  // Functions with a translation of their own.

  fileprivate func now(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    .constant(.date(Date()))
  }

  fileprivate func exclusiveOr(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    let (left, right) = (try argument(arguments[0], scope).value, try argument(arguments[1], scope).value)
    let either = SQLExpression.arithmetic(left, .or, right)
    let both = SQLExpression.arithmetic(left, .and, right)
    return .value(.arithmetic(either, .minus, both), .int64)
  }

  fileprivate func complement(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    .value(.prefix(.complement, try argument(arguments[0], scope).value), .int64)
  }

  /// SQLite's abs fails for the smallest integer; its minus does not.
  fileprivate func absolute(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    let (value, kind) = try argument(arguments[0], scope)
    guard kind == nil || kind == .int64 else { return .value(.call("abs", [value]), nil) }
    let isNegative = SQLExpression.infix(value, "<", .number(0))
    return .value(.conditional(isNegative, then: .prefix(.minus, value), else: value), kind)
  }

  fileprivate func length(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    .value(.call("length", [try textArgument(arguments[0], scope)]), .int64)
  }

  fileprivate func withoutIndex(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    let (value, kind) = try argument(arguments[0], scope)
    return .value(.prefix(.plus, value), kind)
  }

  fileprivate func sum(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    let values = try arguments.map { try argument($0, scope).value }
    return .value(values.dropFirst().reduce(values[0]) { .arithmetic($0, .plus, $1) }, nil)
  }

  fileprivate func cast(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    let value = try operand(arguments[0], scope)
    guard arguments.count == 2, case .constant(.string(let type)) = arguments[1] else {
      throw scope.unsupported("CAST without a type")
    }
    switch type {
    case "NSDate", "Date":
      if case .constant(let constant) = value, let seconds = constant.number {
        return .constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
      }
      let seconds = try expression(value, scope)
      let kind = value.kind
      return .value(kind == nil || kind == .string ? .cast(seconds, .real) : seconds, .date)
    case "NSNumber", "NSDecimalNumber", "Double", "Int":
      return .value(.cast(try expression(value, scope), .numeric), nil)
    case "NSString", "String":
      let text = self.text(try expression(value, scope), value.kind)
      return .value(.cast(text, .text), .string)
    default: throw scope.unsupported("CAST to \(type)")
    }
  }

  // Constants.

  /// Converts a constant to the type of the other side. Returns nil for null, and for an object of another store.
  func binding(_ constant: PredicateConstant, for other: SQLOperand, _ scope: QueryScope) throws -> Binding? {
    switch constant {
    case .collection: throw scope.unsupported("A collection within a comparison")
    case .object(let object):
      if case .entity = other {
        guard let entity = object as? NSEntityDescription, let layout = scope.schema.layouts.layout(of: entity) else {
          throw scope.unsupported("An entity compared with \(object)")
        }
        return scope.schema.entities[layout.index].map { .int(Int64($0.number)) }
      }
      guard let id = object as? NSManagedObjectID else {
        throw scope.unsupported("The object \(object)")
      }
      guard case .reference(_, let layout) = other else { return key(id, in: id.layout) }
      return key(id, in: layout)
    case .other(let value): throw scope.unsupported("The value \(value)")
    default:
      // An object is no number and no text, though its column has numbers.
      if case .reference = other { return nil }
      return PredicateTranslator.binding(constant)
    }
  }

  /// The value of a constant whose type doesn't depend on the other side; nil for null, objects and collections.
  static func binding(_ constant: PredicateConstant) -> Binding? {
    switch constant {
    case .null, .collection, .object, .other: nil
    case .bool(let value): .int(value ? 1 : 0)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .date(let value): .double(value.timeIntervalSinceReferenceDate)
    case .string(let value): .text(value)
    case .url(let value): .text(value.absoluteString)
    case .data(let value): .blob(value)
    case .uuid(let value): .uuid(value)
    case .decimal(let value): number(value)
    }
  }

  /// The key of an object. Returns nil if the object is in another store, or not in the table of the entity.
  func key(_ id: NSManagedObjectID, in layout: EntityLayout) -> Binding? {
    guard layout.rootIndex == id.layout.rootIndex, id.key > 0, let store,
      id.storeIdentity === store || id.storeIdentity?.uuid == store.uuid
    else { return nil }
    return .int(id.key)
  }

  /// The number that SQLite makes from a decimal's digits.
  static func number(_ value: Decimal) -> Binding {
    if value.isNaN { return .text("NaN") }
    let text = value.description
    return Int64(text).map(Binding.int) ?? .double(Double(text) ?? .nan)
  }
}

/// How a function is computed in SQL.
private enum FunctionTranslation {
  typealias Special = (PredicateTranslator) -> ([ExpressionNode], QueryScope) throws -> SQLOperand

  case arithmetic(SQLExpression.Sign)
  /// A function of SQL, and the kind of its values; nil for one that depends on the argument.
  case call(StaticString, SlotKind?)
  /// A function of our own that makes a text of a text; see `StoreFunctions`.
  case own(StaticString)
  case special(Special)
  case refused

  /// - Parameter count: the number of arguments. The aggregates have several here, as in `max(a, b)`: those of one
  ///   argument are translated elsewhere, if it is a to-many relationship.
  init(_ function: PredicateFunction, count: Int) {
    switch function {
    case .add: self = .arithmetic(.plus)
    case .subtract: self = .arithmetic(.minus)
    case .multiply: self = .arithmetic(.times)
    case .divide: self = .arithmetic(.over)
    case .modulus: self = .arithmetic(.modulo)
    case .bitwiseAnd: self = .arithmetic(.and)
    case .bitwiseOr: self = .arithmetic(.or)
    case .leftShift: self = .arithmetic(.leftShift)
    case .rightShift: self = .arithmetic(.rightShift)
    case .bitwiseXor: self = .special(PredicateTranslator.exclusiveOr)
    case .onesComplement: self = .special(PredicateTranslator.complement)
    case .squareRoot: self = .call("sqrt", .double)
    case .logarithm: self = .call("log10", .double)
    case .naturalLogarithm: self = .call("ln", .double)
    case .exponential: self = .call("exp", .double)
    case .power: self = .call("power", .double)
    case .ceiling: self = .call("ceil", nil)
    case .floor: self = .call("floor", nil)
    case .truncate: self = .call("trunc", nil)
    case .absolute: self = .special(PredicateTranslator.absolute)
    case .uppercase: self = .own("NSCoreDataUppercase")
    case .lowercase: self = .own("NSCoreDataLowercase")
    case .canonical: self = .own("NSCoreDataCanonical")
    case .length: self = .special(PredicateTranslator.length)
    case .noIndex: self = .special(PredicateTranslator.withoutIndex)
    case .now: self = .special(PredicateTranslator.now)
    case .cast: self = .special(PredicateTranslator.cast)
    case .min: self = count > 1 ? .call("min", nil) : .refused
    case .max: self = count > 1 ? .call("max", nil) : .refused
    case .sum: self = count > 1 ? .special(PredicateTranslator.sum) : .refused
    case .count, .average, .median, .mode, .standardDeviation, .random, .randomBelow, .distance, .elementAt:
      self = .refused
    }
  }
}
