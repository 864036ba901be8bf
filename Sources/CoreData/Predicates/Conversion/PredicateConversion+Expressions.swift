import Foundation

// Values and paths.

extension PredicateExpressions.Variable: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    guard let node = conversion.values[key] else { throw PredicateConversion.Unsupported() }
    return .expression(node)
  }
}

extension PredicateExpressions.Value: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    .expression(.constant(conversion.constant(value)))
  }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    .expression(.constant(.null))
  }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let base = try conversion.expression(root)
    // A path from a value of the program's leads to another one, which no store can be asked for.
    if base.isConstant, let value = conversion.value(of: self) { return .expression(value) }
    let isText = Root.Output.self == String.self
    if kind != nil, !isText { try conversion.checkCollection(base) }
    let count: ExpressionNode =
      isText ? .function(PredicateFunction.length.rawValue, [base]) : base.appending(["@count"])
    switch kind {
    case .collectionCount?: return .expression(count)
    case .collectionIsEmpty?:
      return .predicate(.comparison(Comparison(count, .equalTo, .constant(.int(0)))))
    case .collectionFirst?: return .expression(.index(base, .first))
    case .bidirectionalCollectionLast?: return .expression(.index(base, .last))
    default:
      let names = try conversion.rules.names(keyPath)
      let path = names.isEmpty ? base : base.appending(names)
      if conversion.rules.isOpaque(keyPath) { conversion.opaque.insert(path) }
      return .expression(path)
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    .expression(try conversion.expression(inner))
  }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let part = try conversion.part(lhs)
    // A condition is true or false, never nil.
    guard case .expression(let left) = part else { return part }
    if case .constant(let value) = left { return value.isNull ? try conversion.part(rhs) : part }
    let exists = PredicateNode.comparison(Comparison(left, .notEqualTo, .constant(.null)))
    return .expression(.conditional(exists, left, try conversion.expression(rhs)))
  }
}

extension ExpressionNode {
  /// `a.b` for `a != nil ? a.b : nil`, as optional chaining is converted: a key path is nil behind nil by itself, and
  /// so is one behind a cast.
  fileprivate var unwrapped: ExpressionNode {
    guard case .conditional(let test, let result, .constant(.nothing)) = self else { return self }
    switch test {
    case .comparison(let test) where test.comparator == .notEqualTo && test.right == .constant(.null):
      return result.isPath(from: test.left) ? result : self
    case .or:
      if case .nested(let base, _) = result, base.cast?.test == test { return result }
      return self
    default: return self
    }
  }

  private func isPath(from start: ExpressionNode) -> Bool {
    switch (self, start) {
    case (.keyPath(let path), .keyPath(let beginning)): path.starts(with: beginning)
    case (.nested(let base, let path), .nested(let other, let beginning)):
      base == other && path.starts(with: beginning)
    case (.nested(let base, _), _): base == start
    default: false
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
  /// The variable stands for the value itself. If the value is nil, the result is nil, which as a condition is false.
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let chain = try conversion.expression(wrapped)
    let value = chain.unwrapped
    conversion.values[variable.key] = value
    if value.isConstant, let known = conversion.known(wrapped) {
      guard let known else { return .expression(.constant(.null)) }
      conversion.bindings[variable] = known
      // No store has to be asked whether the program has a value.
      return try conversion.part(transform)
    }
    if conversion.rules.areMembers(Wrapped.self) {
      // Only what leads to the members may be nil. A comparison of theirs with nil would ask whether there are any.
      guard chain != value, case .conditional(let exists, _, _) = chain else { return try conversion.part(transform) }
      return .expression(.conditional(exists, try conversion.expression(transform), .constant(.null)))
    }
    let result = try conversion.expression(transform)
    let exists = value.cast?.test ?? .comparison(Comparison(value, .notEqualTo, .constant(.null)))
    return .expression(.conditional(exists, result, .constant(.null)))
  }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let condition = try conversion.predicate(test)
    let yes = try conversion.expression(trueBranch)
    return .expression(.conditional(condition, yes, try conversion.expression(falseBranch)))
  }
}

extension PredicateExpressions.CollectionIndexSubscript: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let (base, place) = (try conversion.expression(wrapped), try conversion.expression(index))
    // Not what has to be computed: a division by nothing may stand behind a condition that prevents it.
    if base.isConstant, place.isConstant, let value = conversion.value(of: self) { return .expression(value) }
    try conversion.checkCollection(base)
    return .expression(.index(base, .at(place)))
  }
}

extension PredicateExpressions.TypeCheck: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    .predicate(try conversion.check(try conversion.expression(input), isOf: Desired.self))
  }
}

extension PredicateExpressions.ConditionalCast: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.cast(input, to: Desired.self)
  }
}

extension PredicateExpressions.ForceCast: ConvertibleExpression {
  /// Where it would fail in memory it is nil, since a store may look at more objects than the program means.
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.cast(input, to: Desired.self)
  }
}

extension PredicateConversion {
  /// Whether an object is of a class or of a subclass. The first comparison is with the class' own entity.
  fileprivate func check(_ object: ExpressionNode, isOf type: Any.Type) throws -> PredicateNode {
    guard let entities = rules.entities(type), !object.isConstant else { throw Unsupported() }
    let entity = object.appending(["entity"])
    return .or(entities.map { .comparison(Comparison(entity, .equalTo, .constant(.object($0)))) })
  }

  /// An object if it is of a class or of a subclass, else nil.
  fileprivate mutating func cast(_ input: Any, to type: Any.Type) throws -> Part {
    let object = try expression(input)
    return .expression(.conditional(try check(object, isOf: type), object, .constant(.null)))
  }
}

extension ExpressionNode {
  /// The test and the object of a cast; nil for what is no cast.
  var cast: (test: PredicateNode, entity: NSEntityDescription, object: ExpressionNode)? {
    guard case .conditional(.or(let tests), let object, .constant(.nothing)) = self,
      case .comparison(let first)? = tests.first, first.left == object.appending(["entity"]),
      case .constant(.object(let entity as NSEntityDescription)) = first.right
    else { return nil }
    return (.or(tests), entity, object)
  }
}

// Logic and comparison.

extension PredicateExpressions.Conjunction: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let (left, right) = (try conversion.predicate(lhs), try conversion.predicate(rhs))
    // `a && b && c` is one AND of three.
    if case .and(let members) = left { return .predicate(.and(members + [right])) }
    return .predicate(.and([left, right]))
  }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let (left, right) = (try conversion.predicate(lhs), try conversion.predicate(rhs))
    if case .or(let members) = left { return .predicate(.or(members + [right])) }
    return .predicate(.or([left, right]))
  }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    .predicate(.not(try conversion.predicate(wrapped)))
  }
}

extension PredicateExpressions.Equal: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.compare(lhs, comparator: .equalTo, right: rhs, whole: self)
  }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.compare(lhs, comparator: .notEqualTo, right: rhs, whole: self)
  }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    switch op {
    case .lessThan: try conversion.order(lhs, comparator: .lessThan, right: rhs, whole: self)
    case .lessThanOrEqual:
      try conversion.order(lhs, comparator: .lessThanOrEqualTo, right: rhs, whole: self)
    case .greaterThan: try conversion.order(lhs, comparator: .greaterThan, right: rhs, whole: self)
    case .greaterThanOrEqual:
      try conversion.order(lhs, comparator: .greaterThanOrEqualTo, right: rhs, whole: self)
    @unknown default: throw PredicateConversion.Unsupported()
    }
  }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let bounds: PredicateBounds
    if let stated = range as? any StatedRange {
      bounds = stated.bounds
    } else if let captured = conversion.known(range) as? any CapturedRange {
      bounds = captured.bounds
    } else {
      throw PredicateConversion.Unsupported()
    }
    return try conversion.test(element, within: bounds, isUnsigned: PredicateConversion.isStoredByBits(element))
  }
}

/// The bounds of a range, as expressions. A range without one of them goes on for ever on that side.
private struct PredicateBounds {
  var lower: (any PredicateExpression)?
  var upper: (any PredicateExpression)?
  var isClosed = false
}

extension PredicateConversion {
  fileprivate mutating func test(_ element: Any, within bounds: PredicateBounds, isUnsigned: Bool) throws -> Part {
    let element = try expression(element)
    let lower = try bounds.lower.map { try expression($0) }
    let upper = try bounds.upper.map { try expression($0) }
    func order(_ comparator: Comparison.Comparator, _ bound: ExpressionNode) -> PredicateNode {
      isUnsigned
        ? PredicateConversion.unsigned(element, comparator: comparator, right: bound)
        : .comparison(Comparison(element, comparator, bound))
    }
    // What is not known before would be a list that no store can read.
    if !isUnsigned, bounds.isClosed, let lower, let upper, lower.isConstant, upper.isConstant {
      let both = ExpressionNode(aggregate: [lower, upper])
      return .predicate(.comparison(Comparison(element, .between, both)))
    }
    let tests = [
      lower.map { order(.greaterThanOrEqualTo, $0) },
      upper.map { order(bounds.isClosed ? .lessThanOrEqualTo : .lessThan, $0) },
    ].compactMap(\.self)
    return .predicate(tests.count == 1 ? tests[0] : .and(tests))
  }
}

/// A range that the predicate itself makes.
private protocol StatedRange {
  var bounds: PredicateBounds { get }
}

extension PredicateExpressions.Range: StatedRange {
  fileprivate var bounds: PredicateBounds { PredicateBounds(lower: lower, upper: upper) }
}

extension PredicateExpressions.ClosedRange: StatedRange {
  fileprivate var bounds: PredicateBounds { PredicateBounds(lower: lower, upper: upper, isClosed: true) }
}

/// A range that was made before the predicate. Its bounds are converted as if the predicate stated them.
private protocol CapturedRange {
  var bounds: PredicateBounds { get }
}

extension Range: CapturedRange {
  fileprivate var bounds: PredicateBounds {
    PredicateBounds(lower: PredicateExpressions.Value(lowerBound), upper: PredicateExpressions.Value(upperBound))
  }
}

extension ClosedRange: CapturedRange {
  fileprivate var bounds: PredicateBounds {
    PredicateBounds(
      lower: PredicateExpressions.Value(lowerBound), upper: PredicateExpressions.Value(upperBound), isClosed: true)
  }
}

extension PartialRangeFrom: CapturedRange {
  fileprivate var bounds: PredicateBounds { PredicateBounds(lower: PredicateExpressions.Value(lowerBound)) }
}

extension PartialRangeUpTo: CapturedRange {
  fileprivate var bounds: PredicateBounds { PredicateBounds(upper: PredicateExpressions.Value(upperBound)) }
}

extension PartialRangeThrough: CapturedRange {
  fileprivate var bounds: PredicateBounds {
    PredicateBounds(upper: PredicateExpressions.Value(upperBound), isClosed: true)
  }
}

// Arithmetic.

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    switch op {
    case .add: try conversion.call(.add, lhs, rhs)
    case .subtract: try conversion.call(.subtract, lhs, rhs)
    case .multiply: try conversion.call(.multiply, lhs, rhs)
    @unknown default: throw PredicateConversion.Unsupported()
    }
  }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.call(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.call(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.call(.modulus, lhs, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let operand = try conversion.expression(wrapped)
    return .expression(.function(PredicateFunction.multiply.rawValue, [.constant(.int(-1)), operand]))
  }
}

// Texts and collections.

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    guard Base.Output.self == String.self else { throw PredicateConversion.Unsupported() }
    return try conversion.compare(base, comparator: .contains, right: other, whole: self)
  }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    guard Base.Output.self == String.self else { throw PredicateConversion.Unsupported() }
    return try conversion.compare(base, comparator: .beginsWith, right: prefix, whole: self)
  }
}

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    let (element, collection) = (try conversion.expression(element), try conversion.expression(sequence))
    if element.isConstant, collection.isConstant, let value = conversion.value(of: self) { return .expression(value) }
    try conversion.checkCollection(collection)
    return try conversion.compare(element, comparator: .in, right: collection)
  }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    if let tests = try conversion.tests(of: sequence, variable, test, isAnd: false) { return tests }
    return conversion.count(try conversion.members(of: sequence, variable.key, where: test), .greaterThan)
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    if let tests = try conversion.tests(of: sequence, variable, test, isAnd: true) { return tests }
    return conversion.count(try conversion.members(of: sequence, variable.key, where: test, is: false), .equalTo)
  }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    .expression(try conversion.members(of: sequence, variable.key, where: filter))
  }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.call(.max, collection: elements, whole: self)
  }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part {
    try conversion.call(.min, collection: elements, whole: self)
  }
}
