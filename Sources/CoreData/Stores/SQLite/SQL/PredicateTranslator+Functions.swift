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

extension PredicateTranslator {
  func function(_ selector: String, arguments: [ExpressionNode], scope: QueryScope) throws -> SQLOperand {
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
    // Not as a number: a whole decimal would have a fraction.
    let operand = try operand(node, scope)
    return text(try expression(operand, scope), operand.kind)
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
    case "NSNumber", "Double", "Int":
      let number = try number(value, scope)
      // These are numbers already, and not whole: to a server, a cast one may be.
      let isReal = value.kind == .decimal || value.kind == .date
      return .value(isReal ? number : .cast(number, .numeric), nil)
    case "NSDecimalNumber", "Decimal": return .value(.cast(try number(value, scope), .numeric), .decimal)
    case "NSString", "String":
      let text = self.text(try expression(value, scope), value.kind)
      return .value(.cast(text, .text), .string)
    default: throw scope.unsupported("CAST to \(type)")
    }
  }
}
