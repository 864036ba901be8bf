extension PredicateTranslator {
  /// Translates a comparison of two single values.
  func singleComparison(
    _ comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope, negated: Bool
  ) throws -> SQLExpression {
    if left.kind == .transformable || right.kind == .transformable {
      try checkBytes(comparison, left: left, right: right, scope: scope)
    }
    if let isMet = try outcome(comparison, left: left, right: right) { return .truth(isMet != negated) }
    switch comparison.comparator {
    case .equalTo: return try equality(comparison, left: left, right: right, scope: scope, isEqual: !negated)
    case .notEqualTo: return try equality(comparison, left: left, right: right, scope: scope, isEqual: negated)
    case .in:
      if case .constant(.collection(let members)) = right {
        return try membership(of: left, in: members, comparison, scope, negated: negated)
      }
    case .contains:
      if case .constant(.collection(let members)) = left {
        return try membership(of: right, in: members, comparison, scope, negated: negated)
      }
    default: break
    }
    let condition = try orderOrTextComparison(comparison, left: left, right: right, scope: scope)
    if condition.isNever { return .truth(negated) }
    return negated ? .notTrue(condition) : condition
  }

  /// Whether two constants meet the comparison, if one is an object or a list and SQL has no words for it: an object
  /// that is not saved has no key, and rows of two tables may have the same keys. nil for other comparisons.
  private func outcome(_ comparison: Comparison, left: SQLOperand, right: SQLOperand) throws -> Bool? {
    guard case .constant(let one) = left, case .constant(let other) = right, one.isObjectOrList || other.isObjectOrList
    else { return nil }
    switch comparison.comparator {
    case .equalTo, .notEqualTo, .in, .contains:
      var known = comparison
      (known.left, known.right) = (.constant(one), .constant(other))
      return try PredicateEvaluator(.comparison(known)).matches(PredicateValue.null)
    default: return nil
    }
  }

  /// Of a transformable attribute's object a row has the bytes. Throws for a comparison that looks into the object: it
  /// would find nothing.
  private func checkBytes(
    _ comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws {
    func isOfData(_ constant: PredicateConstant) -> Bool {
      switch constant {
      case .nothing, .data: true
      case .collection(let members): members.allSatisfy(isOfData)
      default: false
      }
    }
    func hasBytes(_ operand: SQLOperand) -> Bool {
      if case .constant(let constant) = operand { return isOfData(constant) }
      return operand.kind?.form == .bytes
    }
    let isPossible =
      switch comparison.comparator {
      case .beginsWith, .endsWith, .like, .matches, .customSelector: false
      // Among data, not in the object.
      case .in: left.kind == .transformable && right.isConstant
      case .contains: right.kind == .transformable && left.isConstant
      case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .between: true
      }
    if isPossible, hasBytes(left), hasBytes(right) { return }
    let attribute = left.kind == .transformable ? comparison.left : comparison.right
    throw scope.unsupported(
      "A look into the object of the transformable attribute \(PredicatePrinter.print(attribute))")
  }

  /// Translates every operator except equality and membership. The result is unknown where a side is null.
  private func orderOrTextComparison(
    _ comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws -> SQLExpression {
    switch comparison.comparator {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      return try ordering(comparison.comparator.sign, comparison: comparison, left: left, right: right, scope: scope)
    case .between: return try between(comparison, left: left, right: right, scope: scope)
    case .beginsWith: return try search(comparison, text: left, piece: right, anchor: .start, scope: scope)
    case .endsWith: return try search(comparison, text: left, piece: right, anchor: .end, scope: scope)
    case .contains: return try search(comparison, text: left, piece: right, anchor: .anywhere, scope: scope)
    // A text IN a text asks for a substring.
    case .in: return try search(comparison, text: right, piece: left, anchor: .anywhere, scope: scope)
    case .like: return try pattern("NSCoreDataLike", comparison: comparison, left: left, right: right, scope: scope)
    case .matches:
      if case .constant(.string(let expression)) = right {
        do { _ = try RegularExpressionPattern(expression, options: comparison.options) } catch {
          throw Failure.malformedPredicate(
            format: "MATCHES \"\(expression)\"", offset: nil, what: "the regular expression can't be read")
        }
      }
      return try pattern("NSCoreDataMatches", comparison: comparison, left: left, right: right, scope: scope)
    case .customSelector:
      throw scope.unsupported("The operator \(comparison.selector ?? "of a custom selector")")
    case .equalTo, .notEqualTo: preconditionFailure("Equality is translated elsewhere.")
    }
  }

  // Equality.

  private func equality(
    _ comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope, isEqual: Bool
  ) throws -> SQLExpression {
    if case .constant(let constant) = left, !right.isConstant {
      return try equality(comparison, left: right, right: .constant(constant), scope: scope, isEqual: isEqual)
    }
    guard case .constant(let constant) = right else {
      let (a, b) = (try expression(left, scope), try expression(right, scope))
      if let options = textOptions(comparison, left), textOptions(comparison, right) != nil {
        let equal = SQLExpression.call(
          "IFNULL", [.infix(.textOrder(a, b, options: options), "=", .number(0)), .same(a, b, isSame: true)])
        return isEqual ? equal : .prefix(.not, equal)
      }
      if case .reference(_, let one) = left, case .reference(_, let other) = right, one.rootIndex != other.rootIndex {
        // Rows of two tables may have the same keys.
        return isEqual ? .both(a.isNull(), b.isNull()) : .either(a.isNull(false), b.isNull(false))
      }
      // Null equals null, as in memory.
      return .same(a, b, isSame: isEqual)
    }
    if case .constant(let other) = left, other.isNotANumber { return .truth(!isEqual) }
    let value = try expression(left, scope)
    if constant.isNull { return value.isNull(isEqual) }
    if case .collection = constant {
      throw scope.unsupported("A comparison of a single value with a collection")
    }
    guard let bound = try binding(constant, for: left, scope) else { return .truth(!isEqual) }
    let isText = if case .text = bound { true } else { false }
    if isText, let options = textOptions(comparison, left) {
      let order = SQLExpression.textOrder(value, .bound(bound), options: options)
      return isEqual ? .infix(order, "=", .number(0)) : .either(.infix(order, "<>", .number(0)), value.isNull())
    }
    return .equality(value, bound, isEqual: isEqual)
  }

  /// The options for the functions that compare texts; nil if plain operators will do.
  func textOptions(_ comparison: Comparison, _ operand: SQLOperand) -> Int64? {
    let number = StoreFunctions.number(comparison.options.subtracting(.word))
    guard number != 0 else { return nil }
    switch operand {
    case .value(_, let kind): return kind == nil || kind?.form == .text ? number : nil
    case .constant(.string): return number
    default: return nil
    }
  }

  // Order.

  private func ordering(
    _ sign: StaticString, comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws -> SQLExpression {
    guard let (a, b) = try bothSides(left, right: right, scope: scope) else { return .never }
    if let options = textOptions(comparison, left), textOptions(comparison, right) != nil {
      return .infix(.textOrder(a, b, options: options), sign, .number(0))
    }
    return .infix(a, sign, b)
  }

  /// Both sides as SQL, a constant in the type of the other side. Returns nil if a constant is null, or an object of
  /// another store.
  private func bothSides(
    _ left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws -> (SQLExpression, SQLExpression)? {
    func side(_ operand: SQLOperand, beside other: SQLOperand) throws -> SQLExpression? {
      guard case .constant(let constant) = operand else { return try expression(operand, scope) }
      return try binding(constant, for: other, scope).map(SQLExpression.bound)
    }
    guard let a = try side(left, beside: right), let b = try side(right, beside: left) else { return nil }
    return (a, b)
  }

  private func between(
    _ comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws -> SQLExpression {
    guard case .constant(.collection(let bounds)) = right, bounds.count == 2 else {
      throw scope.unsupported("BETWEEN without two constant bounds")
    }
    if textOptions(comparison, left) != nil {
      let lower = try ordering(">=", comparison: comparison, left: left, right: .constant(bounds[0]), scope: scope)
      let upper = try ordering("<=", comparison: comparison, left: left, right: .constant(bounds[1]), scope: scope)
      return lower.isNever || upper.isNever ? .never : .joined([lower, upper], isAnd: true)
    }
    guard let (value, lower) = try bothSides(left, right: .constant(bounds[0]), scope: scope),
      let (_, upper) = try bothSides(left, right: .constant(bounds[1]), scope: scope)
    else { return .never }
    return .infix(value, "BETWEEN", .infix(lower, "AND", upper))
  }

  // Texts.

  private func search(
    _ comparison: Comparison, text: SQLOperand, piece: SQLOperand, anchor: TextAnchor, scope: QueryScope
  ) throws -> SQLExpression {
    if case .start = anchor, case .value(let column, .string?) = text, case .constant(.string(let prefix)) = piece,
      StoreFunctions.number(comparison.options) == 0
    {
      return PredicateTranslator.range(column, prefix)
    }
    guard let (a, b) = try texts(text, right: piece, scope: scope) else { return .never }
    let options = StoreFunctions.number(comparison.options, anchor)
    return .search("NSCoreDataStringSearch", a, b, [.number(options), .number(0)])
  }

  /// The condition that a text begins with a prefix: it is not less than the prefix, and less than the first text after
  /// all texts with that prefix. As in `StringFinder`, no text begins with the empty text.
  private static func range(_ column: SQLExpression, _ prefix: String) -> SQLExpression {
    if prefix.isEmpty { return .never }
    let start = SQLExpression.infix(column, ">=", .bound(.text(prefix)))
    guard let end = textAfter(prefix) else { return start }
    return .both(start, .infix(column, "<", .bound(.text(end))))
  }

  /// The least text that is greater than every text that begins with `prefix`; nil if there is none.
  static func textAfter(_ prefix: String) -> String? {
    var scalars = Array(prefix.unicodeScalars)
    while let last = scalars.popLast() {
      let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
      if let scalar = Unicode.Scalar(next) {
        scalars.append(scalar)
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
      }
    }
    return nil
  }

  private func pattern(
    _ function: StaticString, comparison: Comparison, left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws -> SQLExpression {
    guard let (a, b) = try texts(left, right: right, scope: scope) else { return .never }
    return .search(function, a, b, [.number(StoreFunctions.number(comparison.options))])
  }

  /// Both sides of a text operator; nil if one of them can't be a text.
  private func texts(
    _ left: SQLOperand, right: SQLOperand, scope: QueryScope
  ) throws -> (SQLExpression, SQLExpression)? {
    func side(_ operand: SQLOperand) throws -> SQLExpression? {
      switch operand {
      case .value(let value, let kind):
        if kind?.form == .bytes || kind?.form == .uuid { return nil }
        return self.text(value, kind)
      case .constant(.collection): throw scope.unsupported("A text operator on a collection")
      case .constant(let constant):
        return ValueComparison.text(of: constant).map { .bound(.text($0)) }
      case .reference, .entity, .collection:
        throw scope.unsupported("A text operator on a relationship")
      }
    }
    guard let a = try side(left), let b = try side(right) else { return nil }
    return (a, b)
  }
}

extension PredicateConstant {
  fileprivate var isObjectOrList: Bool {
    switch self {
    case .object, .collection: true
    default: false
    }
  }
}

extension SQLExpression {
  /// `NSCoreDataStringCompare( t0.ZNAME, ?, 257, 0)`: negative, 0 or positive.
  static func textOrder(_ a: SQLExpression, _ b: SQLExpression, options: Int64) -> SQLExpression {
    .ownCall("NSCoreDataStringCompare", [a, b, .number(options), .number(0)])
  }
}
