extension PredicateTranslator {
  /// A comparison of two single values.
  func single(
    _ comparison: Comparison, _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope, negated: Bool
  ) throws -> SQLFragment {
    switch comparison.comparator {
    case .equalTo: return try equality(comparison, left, right, scope, isEqual: !negated)
    case .notEqualTo: return try equality(comparison, left, right, scope, isEqual: negated)
    case .in:
      if case .constant(.collection(let members)) = right {
        return try membership(of: left, in: members, comparison, scope, negated: negated)
      }
    default: break
    }
    let condition = try plain(comparison, left, right, scope)
    if condition == .never { return negated ? .always : .never }
    return negated ? " NOT IFNULL((\(condition)), 0)" : condition
  }

  /// Everything but equality and membership: unknown where a side is null.
  private func plain(
    _ comparison: Comparison, _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope
  ) throws -> SQLFragment {
    switch comparison.comparator {
    case .lessThan: return try ordering("<", comparison, left, right, scope)
    case .lessThanOrEqualTo: return try ordering("<=", comparison, left, right, scope)
    case .greaterThan: return try ordering(">", comparison, left, right, scope)
    case .greaterThanOrEqualTo: return try ordering(">=", comparison, left, right, scope)
    case .between: return try between(comparison, left, right, scope)
    case .beginsWith: return try search(comparison, left, right, .start, scope)
    case .endsWith: return try search(comparison, left, right, .end, scope)
    case .contains: return try search(comparison, left, right, .anywhere, scope)
    // A text IN a text is a part of it.
    case .in: return try search(comparison, right, left, .anywhere, scope)
    case .like: return try pattern("NSCoreDataLike", comparison, left, right, scope)
    case .matches:
      if case .constant(.string(let expression)) = right {
        do { _ = try RegularExpressionPattern(expression, options: comparison.options) } catch {
          throw Failure.malformedPredicate(
            format: "MATCHES \"\(expression)\"", offset: nil, what: "the regular expression can't be read")
        }
      }
      return try pattern("NSCoreDataMatches", comparison, left, right, scope)
    case .customSelector:
      throw PredicateTranslator.unsupported("The operator \(comparison.selector ?? "of a custom selector")", scope)
    case .equalTo, .notEqualTo: preconditionFailure("Equality is translated elsewhere.")
    }
  }

  // Equality.

  private func equality(
    _ comparison: Comparison, _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope, isEqual: Bool
  ) throws -> SQLFragment {
    if case .constant(let constant) = left, !isConstant(right) {
      return try equality(comparison, right, .constant(constant), scope, isEqual: isEqual)
    }
    guard case .constant(let constant) = right else {
      let (a, b) = (try fragment(left, scope), try fragment(right, scope))
      if let options = textOptions(comparison, left), textOptions(comparison, right) != nil {
        let equal: SQLFragment = "IFNULL( NSCoreDataStringCompare(\(a), \(b), \(options), 0) = 0,\(a) IS\(b))"
        return isEqual ? " \(equal)" : " NOT \(equal)"
      }
      if case .reference(_, let one) = left, case .reference(_, let other) = right, one.rootIndex != other.rootIndex {
        // Rows of two tables may have the same keys.
        return isEqual ? "(\(a) IS NULL AND\(b) IS NULL)" : "(\(a) IS NOT NULL OR\(b) IS NOT NULL)"
      }
      // Null equals null, as in memory.
      return isEqual ? "\(a) IS\(b)" : "\(a) IS NOT\(b)"
    }
    let value = try fragment(left, scope)
    if constant.isNull {
      let value = PredicateTranslator.presence(value)
      return isEqual ? "\(value) IS NULL" : "\(value) IS NOT NULL"
    }
    if case .collection = constant {
      throw PredicateTranslator.unsupported("A comparison of a single value with a collection", scope)
    }
    guard let bound = try binding(constant, for: left, scope) else { return isEqual ? .never : .always }
    if let options = textOptions(comparison, left), case .text = bound {
      let compared: SQLFragment = " NSCoreDataStringCompare(\(value), \(bound: bound), \(options), 0)"
      return isEqual ? "\(compared) = 0" : "(\(compared) <> 0 OR\(value) IS NULL)"
    }
    return isEqual ? "\(value) = \(bound: bound)" : "(\(value) <> \(bound: bound) OR\(value) IS NULL)"
  }

  func isConstant(_ operand: SQLOperand) -> Bool {
    if case .constant = operand { return true }
    return false
  }

  /// The options of a comparison of texts, as the functions take them; nil where plain operators do.
  func textOptions(_ comparison: Comparison, _ operand: SQLOperand) -> Int64? {
    let number = StoreFunctions.number(comparison.options.subtracting(.word))
    guard number != 0 else { return nil }
    switch operand {
    case .value(_, let kind): return kind == nil || kind == .string || kind == .uri ? number : nil
    case .constant(.string): return number
    default: return nil
    }
  }

  // Order.

  private func ordering(
    _ sign: String, _ comparison: Comparison, _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope
  ) throws -> SQLFragment {
    guard let (a, b) = try pair(left, right, scope) else { return .never }
    if let options = textOptions(comparison, left), textOptions(comparison, right) != nil {
      return " NSCoreDataStringCompare(\(a), \(b), \(options), 0) \(sign) 0"
    }
    return "\(a) \(sign)\(b)"
  }

  /// Both sides as SQL, constants in the type of the other side; nil when one of them is null or of no store.
  private func pair(
    _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope
  ) throws -> (SQLFragment, SQLFragment)? {
    func side(_ operand: SQLOperand, beside other: SQLOperand) throws -> SQLFragment? {
      guard case .constant(let constant) = operand else { return try fragment(operand, scope) }
      if constant.isNull { return nil }
      return try binding(constant, for: other, scope).map { " \(bound: $0)" }
    }
    guard let a = try side(left, beside: right), let b = try side(right, beside: left) else { return nil }
    return (a, b)
  }

  private func between(
    _ comparison: Comparison, _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope
  ) throws -> SQLFragment {
    guard case .constant(.collection(let bounds)) = right, bounds.count == 2 else {
      throw PredicateTranslator.unsupported("BETWEEN without two constant bounds", scope)
    }
    let lower = try ordering(">=", comparison, left, .constant(bounds[0]), scope)
    let upper = try ordering("<=", comparison, left, .constant(bounds[1]), scope)
    if lower == .never || upper == .never { return .never }
    if textOptions(comparison, left) == nil, let a = try binding(bounds[0], for: left, scope),
      let b = try binding(bounds[1], for: left, scope)
    {
      return "\(try fragment(left, scope)) BETWEEN \(bound: a) AND \(bound: b)"
    }
    return "(\(lower) AND \(upper))"
  }

  // Texts.

  private func search(
    _ comparison: Comparison, _ text: SQLOperand, _ piece: SQLOperand, _ place: StringPlace, _ scope: QueryScope
  ) throws -> SQLFragment {
    if case .start = place, case .value(let column, .string?) = text, case .constant(.string(let prefix)) = piece,
      StoreFunctions.number(comparison.options) == 0
    {
      return PredicateTranslator.range(column, prefix)
    }
    guard let (a, b) = try texts(text, piece, scope) else { return .never }
    return " NSCoreDataStringSearch(\(a), \(b), \(StoreFunctions.number(comparison.options, place)), 0)"
  }

  /// Texts that begin with a prefix are those between it and the next text after all of them. None begins with the
  /// empty text, as in `StringFinder`.
  private static func range(_ column: SQLFragment, _ prefix: String) -> SQLFragment {
    if prefix.isEmpty { return .never }
    guard let end = textAfter(prefix) else { return "\(column) >= \(bound: .text(prefix))" }
    return "(\(column) >= \(bound: .text(prefix)) AND\(column) < \(bound: .text(end)))"
  }

  /// The least text that is greater than all that begin with `prefix`; nil if there is none.
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
    _ function: String, _ comparison: Comparison, _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope
  ) throws -> SQLFragment {
    guard let (a, b) = try texts(left, right, scope) else { return .never }
    return " \(function)(\(a), \(b), \(StoreFunctions.number(comparison.options)))"
  }

  /// Both sides of a text operator; nil where one has no text.
  private func texts(
    _ left: SQLOperand, _ right: SQLOperand, _ scope: QueryScope
  ) throws -> (SQLFragment, SQLFragment)? {
    func side(_ operand: SQLOperand) throws -> SQLFragment? {
      switch operand {
      case .value(let value, let kind):
        switch kind {
        case .binary?, .transformable?, .uuid?: return nil
        default: return PredicateTranslator.text(value, kind)
        }
      case .constant(let constant):
        return ValueComparison.text(of: constant).map { " \(bound: .text($0))" }
      case .reference, .entity, .collection:
        throw PredicateTranslator.unsupported("A text operator on a relationship", scope)
      }
    }
    guard let a = try side(left), let b = try side(right) else { return nil }
    return (a, b)
  }
}
