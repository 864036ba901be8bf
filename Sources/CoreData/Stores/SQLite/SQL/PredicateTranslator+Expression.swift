extension PredicateTranslator {
  /// What an expression is in SQL.
  func operand(_ node: ExpressionNode, _ scope: QueryScope) throws -> SQLOperand {
    switch node {
    case .constant(let constant): return .constant(constant)
    case .evaluatedObject: return .reference(" \(scope.source.alias).Z_PK", scope.source.layout)
    case .keyPath(let path): return try self.path(path, from: scope.source, scope, whole: path)
    case .variable(let name):
      guard let (_, source) = scope.variables[name] else {
        throw Failure.malformedPredicate(
          format: "$\(name)", offset: nil,
          what: "the variable $\(name) has no value; give it one with withSubstitutionVariables(_:)")
      }
      return .reference(" \(source.alias).Z_PK", source.layout)
    case .nested(let base, let path): return try nested(base, path, scope)
    case .function(let selector, let arguments):
      if let path = node.keyPathCall { return try operand(path, scope) }
      return try function(selector, arguments, scope)
    case .aggregate(let members):
      return .constant(
        .collection(
          try members.map { member in
            guard case .constant(let constant) = try operand(member, scope) else {
              throw PredicateTranslator.unsupported("An aggregate with members that are not constants", scope)
            }
            return constant
          }))
    case .subquery(let collection, let variable, let predicate):
      guard case .collection(var found) = try operand(collection, scope), found.rest.isEmpty else {
        throw PredicateTranslator.unsupported("A SUBQUERY over something else than a to-many relationship", scope)
      }
      found.filter = (variable, predicate)
      return .collection(found)
    case .conditional(let predicate, let yes, let no):
      let test = try condition(predicate, scope)
      let (a, b) = (try operand(yes, scope), try operand(no, scope))
      let isOneKind = kind(a) == kind(b)
      let values = try [a, b].map { isOneKind ? try fragment($0, scope) : try number($0, scope) }
      return .value(" CASE WHEN\(test) THEN\(values[0]) ELSE\(values[1]) END", isOneKind ? kind(a) : nil)
    case .setOperation(let operation, _, _):
      throw PredicateTranslator.unsupported("The operation \(operation.rawValue)", scope)
    case .index(let base, .size):
      guard case .collection(let found) = try operand(base, scope) else {
        throw PredicateTranslator.unsupported("[SIZE] of something else than a to-many relationship", scope)
      }
      return try aggregate("@count", found, scope)
    case .index(.fetch(let request, _, countOnly: false), .first): return try first(of: request, scope)
    case .index: throw PredicateTranslator.unsupported("An index", scope)
    case .assignment: throw PredicateTranslator.unsupported("An assignment", scope)
    case .anyKey: throw PredicateTranslator.unsupported("ANYKEY", scope)
    case .block: throw PredicateTranslator.unsupported("A block expression", scope)
    case .fetch(let request, _, countOnly: true): return try count(of: request, scope)
    case .fetch(let request, _, countOnly: false):
      let sub = try subFetch(request, scope)
      if sub.isCount { return try count(of: request, scope) }
      throw PredicateTranslator.unsupported("\(PredicatePrinter.print(node)) in another place than behind IN", scope)
    }
  }

  /// An operand as SQL, with a blank before it.
  func fragment(_ operand: SQLOperand, _ scope: QueryScope) throws -> SQLFragment {
    switch operand {
    case .value(let value, _), .reference(let value, _), .entity(let value): return value
    case .constant(let constant):
      guard !constant.isNull else { return " NULL" }
      guard let bound = try binding(constant, for: .value("", nil), scope) else {
        throw PredicateTranslator.unsupported("The constant \(constant)", scope)
      }
      return " \(bound: bound)"
    case .collection:
      throw PredicateTranslator.unsupported("A to-many key path in this place", scope)
    }
  }

  /// An operand of a function. SQLite keeps a whole decimal or date as an integer, but it counts as what it is.
  private func number(_ operand: SQLOperand, _ scope: QueryScope) throws -> SQLFragment {
    switch operand {
    case .value(let value, .decimal?), .value(let value, .date?): return " (1.0 *\(value))"
    case .constant(.decimal(let value)): return " \(bound: .double(NSDecimalNumber(decimal: value).doubleValue))"
    default: return try fragment(operand, scope)
    }
  }

  /// A value beside texts: floating numbers are written as in memory.
  static func text(_ value: SQLFragment, _ kind: SlotKind?) -> SQLFragment {
    switch kind {
    case .double?, .float?, nil: " NSCoreDataText(\(value))"
    case .date?: " NSCoreDataText(1.0 *\(value))"
    default: value
    }
  }

  private func kind(_ operand: SQLOperand) -> SlotKind? {
    if case .value(_, let kind) = operand { return kind }
    return nil
  }

  // Key paths.

  /// A column's value, with a blank before it: of one that may be the name of a file, what is in the file.
  private static func value(_ column: SlotColumn, in source: QueryScope.Source) -> SQLFragment {
    column.isTagged
      ? " NSCoreDataStoredData( \(source.alias).\(column.name))" : " \(source.alias).\(column.name)"
  }

  /// The value where only its presence counts: a file need not be read for that.
  static func presence(_ value: SQLFragment) -> SQLFragment {
    let call = " NSCoreDataStoredData("
    guard value.sql.hasPrefix(call), value.sql.hasSuffix(")"), value.bindings.isEmpty else { return value }
    return SQLFragment(String(value.sql.dropFirst(call.count).dropLast()))
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
            return .reference(" \(source.alias).Z_PK", source.layout)
          }
          if name == "entity" { return .entity(" \(source.alias).Z_ENT") }
        }
        throw Failure.unknownKeyPath(
          keyPath: whole.joined(separator: "."), entity: start.layout.name, missing: name)
      }
      switch property.kind {
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
            " \(source.alias).\(column.name)", scope.schema.layouts.layouts[property.destination])
        }
        source = try scope.destination(of: property, from: source)
      default:
        guard rest.isEmpty else {
          if rest == ["length"], property.kind == .string || property.kind == .binary {
            let column = try scope.column(of: property, in: source)
            return .value(" length(\(PredicateTranslator.value(column, in: source)))", .int64)
          }
          throw Failure.unknownKeyPath(
            keyPath: whole.joined(separator: "."), entity: start.layout.name, missing: rest[0])
        }
        let column = try scope.column(of: property, in: source)
        return .value(PredicateTranslator.value(column, in: source), property.kind)
      }
    }
    return .reference(" \(source.alias).Z_PK", source.layout)
  }

  private func nested(_ base: ExpressionNode, _ path: [String], _ scope: QueryScope) throws -> SQLOperand {
    if case .variable(let name) = base, let (inner, source) = scope.variables[name] {
      // A variable of a sub-select further out: what its path needs is joined there, where its table is.
      return try self.path(path, from: source, inner, whole: path)
    }
    guard case .collection(let collection) = try operand(base, scope) else {
      throw PredicateTranslator.unsupported("The key path \(path.joined(separator: ".")) on an expression", scope)
    }
    let whole = SQLCollection(
      scope: collection.scope, owner: collection.owner, relationship: collection.relationship,
      rest: collection.rest + path, filter: collection.filter)
    if let place = whole.rest.firstIndex(where: { $0.hasPrefix("@") }) {
      return try aggregate(whole, at: place, scope)
    }
    return .collection(whole)
  }

  // Aggregates of to-many relationships.

  private func aggregate(_ collection: SQLCollection, at place: Int, _ scope: QueryScope) throws -> SQLOperand {
    let function = collection.rest[place]
    let before = Array(collection.rest[..<place])
    let after = Array(collection.rest[(place + 1)...])
    guard before.isEmpty || after.isEmpty else {
      throw PredicateTranslator.unsupported("An aggregate with a path before and behind it", scope)
    }
    let inner = SQLCollection(
      scope: collection.scope, owner: collection.owner, relationship: collection.relationship,
      rest: before + after, filter: collection.filter)
    return try aggregate(function, inner, scope)
  }

  private func aggregate(
    _ function: String, _ collection: SQLCollection, _ scope: QueryScope
  ) throws -> SQLOperand {
    var kind: SlotKind? = .int64
    let select = try members(of: collection) { inner in
      if collection.rest.isEmpty {
        guard function == "@count" else {
          throw PredicateTranslator.unsupported("\(function) of objects", scope)
        }
        return ["COUNT(\(inner.source.alias).Z_PK)"]
      }
      let element = try operand(.keyPath(collection.rest), inner)
      if case .collection = element {
        throw PredicateTranslator.unsupported("An aggregate over two to-many relationships", scope)
      }
      let value = try fragment(element, inner)
      if function != "@count" { kind = function == "@avg" ? .double : self.kind(element) }
      switch function {
      // In memory a count counts nils too: it counts members.
      case "@count": return ["COUNT(*)"]
      case "@sum": return ["IFNULL(SUM(\(value)), 0)"]
      case "@avg": return ["AVG(\(value))"]
      case "@min": return ["MIN(\(value))"]
      case "@max": return ["MAX(\(value))"]
      default: throw PredicateTranslator.unsupported("The collection operator \(function)", scope)
      }
    }
    return .value(" (\(select.ofOwner.fragment)) ", kind)
  }

  // Functions.

  private func function(_ selector: String, _ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    guard let function = PredicateFunction(rawValue: selector) else {
      var name = selector
      if selector == PredicateFunction.methodCall, arguments.count > 1,
        case .constant(.string(let method)) = arguments[1]
      {
        name += "(…, \"\(method)\")"
      }
      throw Failure.malformedFetchRequest(
        entity: scope.source.layout.name, what: "Unsupported function expression \(name)")
    }
    if arguments.count == 1, let aggregate = try aggregateFunction(function, arguments[0], scope) { return aggregate }
    switch function {
    case .median, .mode, .standardDeviation, .random, .randomBelow, .distance, .elementAt:
      throw Failure.malformedFetchRequest(
        entity: scope.source.layout.name, what: "Unsupported function expression \(selector)")
    default: break
    }
    if function == .now { return .constant(.date(Date())) }
    if function == .cast { return try cast(arguments, scope) }
    let operands = try arguments.map { try operand($0, scope) }
    let values = try operands.map { try number($0, scope) }
    func infix(_ sign: String) -> SQLOperand {
      let kinds = operands.map(kind)
      let isReal = kinds.contains { $0 == .double || $0 == .float || $0 == .decimal || $0 == .date }
      return .value(" (\(values[0]) \(sign)\(values[1]))", isReal ? .double : nil)
    }
    func textCall(_ name: String, _ result: SlotKind) -> SQLOperand {
      let text = PredicateTranslator.text(values[0], kind(operands[0]))
      return .value(" \(name)(\(text))", result)
    }
    func call(_ name: String, _ kind: SlotKind?) -> SQLOperand {
      .value(" \(name)(\(SQLFragment(values, separator: ",")))", kind)
    }
    switch function {
    case .add: return infix("+")
    case .subtract: return infix("-")
    case .multiply: return infix("*")
    case .divide: return infix("/")
    case .modulus: return infix("%")
    case .bitwiseAnd: return infix("&")
    case .bitwiseOr: return infix("|")
    case .leftShift: return infix("<<")
    case .rightShift: return infix(">>")
    case .bitwiseXor:
      return .value(" ((\(values[0]) |\(values[1])) - (\(values[0]) &\(values[1])))", .int64)
    case .onesComplement: return .value(" (~\(values[0]))", .int64)
    case .squareRoot: return call("sqrt", .double)
    case .logarithm: return call("log10", .double)
    case .naturalLogarithm: return call("ln", .double)
    case .exponential: return call("exp", .double)
    case .power: return call("power", .double)
    case .ceiling: return call("ceil", nil)
    case .floor: return call("floor", nil)
    case .truncate: return call("trunc", nil)
    case .absolute:
      // SQLite's abs fails for the smallest integer, its minus does not.
      let kind = kind(operands[0])
      if kind == nil || kind == .int64 {
        return .value(" CASE WHEN\(values[0]) < 0 THEN -(\(values[0])) ELSE\(values[0]) END", kind)
      }
      return call("abs", nil)
    case .uppercase: return textCall("NSCoreDataUppercase", .string)
    case .lowercase: return textCall("NSCoreDataLowercase", .string)
    case .canonical: return textCall("NSCoreDataCanonical", .string)
    case .length: return textCall("length", .int64)
    case .noIndex: return .value(" +\(values[0])", kind(operands[0]))
    case .min where values.count > 1: return call("min", nil)
    case .max where values.count > 1: return call("max", nil)
    case .sum where values.count > 1: return .value(" (\(SQLFragment(values, separator: " + ")))", nil)
    default:
      throw Failure.malformedFetchRequest(
        entity: scope.source.layout.name, what: "Unsupported function expression \(selector)")
    }
  }

  /// `count:(books)` and such: the collection operators in the shape of functions.
  private func aggregateFunction(
    _ function: PredicateFunction, _ argument: ExpressionNode, _ scope: QueryScope
  ) throws -> SQLOperand? {
    let names: [PredicateFunction: String] = [
      .count: "@count", .sum: "@sum", .min: "@min", .max: "@max", .average: "@avg",
    ]
    guard let name = names[function] else { return nil }
    guard case .collection(let collection) = try operand(argument, scope) else { return nil }
    return try aggregate(name, collection, scope)
  }

  private func cast(_ arguments: [ExpressionNode], _ scope: QueryScope) throws -> SQLOperand {
    let value = try operand(arguments[0], scope)
    guard arguments.count == 2, case .constant(.string(let type)) = arguments[1] else {
      throw PredicateTranslator.unsupported("CAST without a type", scope)
    }
    switch type {
    case "NSDate", "Date":
      if case .constant(let constant) = value, let seconds = constant.number {
        return .constant(.date(Date(timeIntervalSinceReferenceDate: seconds)))
      }
      let seconds = try fragment(value, scope)
      switch kind(value) {
      case .string?, nil: return .value(" CAST(\(seconds) AS REAL)", .date)
      default: return .value(seconds, .date)
      }
    case "NSNumber", "NSDecimalNumber", "Double", "Int":
      return .value(" CAST(\(try fragment(value, scope)) AS NUMERIC)", nil)
    case "NSString", "String":
      let text = try fragment(value, scope)
      return .value(" CAST(\(PredicateTranslator.text(text, kind(value))) AS TEXT)", .string)
    default: throw PredicateTranslator.unsupported("CAST to \(type)", scope)
    }
  }

  // Constants.

  /// A constant in the type of what it is compared with; nil for an object that is none of this store's.
  func binding(_ constant: PredicateConstant, for other: SQLOperand, _ scope: QueryScope) throws -> Binding? {
    switch constant {
    case .null: return nil
    case .bool(let value): return .int(value ? 1 : 0)
    case .int(let value): return .int(value)
    case .double(let value): return .double(value)
    case .date(let value): return .double(value.timeIntervalSinceReferenceDate)
    case .string(let value): return .text(value)
    case .url(let value): return .text(value.absoluteString)
    case .data(let value): return .blob(value)
    case .uuid(let value): return .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
    case .decimal(let value): return PredicateTranslator.number(value)
    case .collection: throw PredicateTranslator.unsupported("A collection within a comparison", scope)
    case .object(let object): return try reference(object, for: other, scope)
    case .other(let value): throw PredicateTranslator.unsupported("The value \(value)", scope)
    }
  }

  /// The number that SQLite makes of a decimal's digits.
  static func number(_ value: Decimal) -> Binding {
    if value.isNaN { return .text("NaN") }
    let text = value.description
    return Int64(text).map(Binding.int) ?? .double(Double(text) ?? .nan)
  }

  private func reference(_ object: AnyObject, for other: SQLOperand, _ scope: QueryScope) throws -> Binding? {
    if case .entity = other {
      guard let entity = object as? NSEntityDescription, let layout = scope.schema.layouts.layout(of: entity) else {
        throw PredicateTranslator.unsupported("An entity compared with \(object)", scope)
      }
      return scope.schema.entities[layout.index].map { .int(Int64($0.number)) }
    }
    guard let id = object as? NSManagedObjectID else {
      throw PredicateTranslator.unsupported("The object \(object)", scope)
    }
    if case .reference(_, let layout) = other, layout.rootIndex != id.layout.rootIndex { return nil }
    guard id.key > 0, let store, id.storeIdentity === store || id.storeIdentity?.uuid == store.uuid else {
      return nil
    }
    return .int(id.key)
  }
}
