import Foundation

/// An expression of a module above, with two texts: whether the first has the second in it, whatever their case and
/// diacritics.
package protocol TextSearchExpression {
  /// The text that is looked into.
  var searchedText: Any { get }
  /// The text that is looked for.
  var soughtText: Any { get }
}

/// An expression of a module above, with two texts: how the first is ordered to the second.
package protocol TextOrderExpression {
  /// The text on the left.
  var orderedText: Any { get }
  /// The text on the right.
  var otherText: Any { get }
  /// Whether the order is that of the person's language, else that of texts without their case.
  var isLocalized: Bool { get }
}

/// Walks the expressions of a `Predicate`.
struct PredicateConversion {
  enum Part {
    case predicate(PredicateNode)
    case expression(ExpressionNode)
  }

  /// Thrown for what the format language can't express.
  struct Unsupported: Error {}

  /// What the models say: managed objects themselves, or those that SwiftData has behind its models.
  struct Rules {
    /// The names along a key path.
    var names: (AnyKeyPath) throws -> [String] = KeyPathNames.path
    /// What a constant is in the predicate.
    var constant: (Any) -> Any? = { $0 }
    /// Whether what a key path leads to is stored as bytes.
    var isOpaque: (AnyKeyPath) -> Bool = { _ in false }
    /// Whether a type is that of a relationship's members, which are never nil, also where the property is optional.
    var areMembers: (Any.Type) -> Bool = { $0 is any ManySubjects.Type }
    /// The entities whose objects are of a class.
    var entities: (Any.Type) -> [NSEntityDescription]? = { _ in nil }
    /// Whether the objects are those of stores, where no value of a type of the program's is found as it is.
    var areStored = false
  }

  let rules: Rules
  /// The closures' arguments.
  var values: [PredicateExpressions.VariableID: ExpressionNode] = [:]
  /// The paths to such properties that were met.
  var opaque: Set<ExpressionNode> = []
  /// The closures' arguments that stand for values of the program's.
  var bindings = PredicateBindings()
  private var madeVariables = 0

  /// The predicate as a tree; nil if the format language can't express it.
  static func node<Input>(of predicate: Predicate<Input>, _ rules: Rules) -> PredicateNode? {
    let variable: PredicateExpressions.Variable<Input> = predicate.variable
    var conversion = PredicateConversion(rules: rules)
    conversion.values[variable.key] = .evaluatedObject
    guard let node = try? conversion.predicate(predicate.expression), node.fits() else { return nil }
    return node
  }

  private init(rules: Rules) { self.rules = rules }

  mutating func part(_ expression: Any) throws -> Part {
    if let search = expression as? any TextSearchExpression {
      let (text, sought) = (try self.expression(search.searchedText), try self.expression(search.soughtText))
      if text.isConstant, sought.isConstant, let search = search as? any PredicateExpression,
        let value = value(of: search)
      {
        return .expression(value)
      }
      return try compare(
        text, comparator: .contains, right: sought, options: [.caseInsensitive, .diacriticInsensitive])
    }
    guard let convertible = expression as? any ConvertibleExpression else {
      guard let expression = expression as? any PredicateExpression, let value = value(of: expression) else {
        throw Unsupported()
      }
      return .expression(value)
    }
    return try convertible.part(&self)
  }

  /// The value of an expression in which only values of the program's are; nil for others.
  func known<Value: PredicateExpression>(_ expression: Value) -> Value.Output? { try? expression.evaluate(bindings) }

  /// The value of such an expression as a constant; nil for others.
  func value(of expression: some PredicateExpression) -> ExpressionNode? {
    known(expression).map { .constant(constant($0)) }
  }

  /// Throws for a collection that no store can look into.
  func checkCollection(_ collection: ExpressionNode) throws { if opaque.contains(collection) { throw Unsupported() } }

  /// A property that is true or false stands for its comparison with true.
  mutating func predicate(_ expression: Any) throws -> PredicateNode {
    switch try part(expression) {
    case .predicate(let node): return node
    case .expression(.constant(.bool(let value))): return .constant(value)
    case .expression(let node): return .comparison(Comparison(node, .equalTo, .constant(.bool(true))))
    }
  }

  mutating func expression(_ expression: Any) throws -> ExpressionNode {
    switch try part(expression) {
    case .expression(let node): return node
    case .predicate(let node): return .conditional(node, .constant(.bool(true)), .constant(.bool(false)))
    }
  }

  mutating func call(_ function: PredicateFunction, _ arguments: Any...) throws -> Part {
    .expression(.function(function.rawValue, try arguments.map { try expression($0) }))
  }

  /// A function of a collection's elements, or what it gives for a collection of the program's.
  mutating func call(_ function: PredicateFunction, collection: Any, whole: some PredicateExpression) throws -> Part {
    let collection = try expression(collection)
    if collection.isConstant, let value = value(of: whole) { return .expression(value) }
    try checkCollection(collection)
    return .expression(.function(function.rawValue, [collection]))
  }

  /// A comparison, or what `whole`, the expression that compares, gives for two values of the program's.
  mutating func compare<Whole: PredicateExpression>(
    _ left: Any, comparator: Comparison.Comparator, right: Any, whole: Whole
  ) throws -> Part {
    if let order = left as? any TextOrderExpression { return try compare(order, comparator, with: right) }
    if let order = right as? any TextOrderExpression { return try compare(order, comparator, with: left) }
    let (left, right) = (try expression(left), try expression(right))
    if left.isConstant, right.isConstant, let value = value(of: whole) { return .expression(value) }
    return try compare(left, comparator: comparator, right: right)
  }

  /// Whether two texts have, or don't have, the order that the program gives.
  private mutating func compare(
    _ order: any TextOrderExpression, _ comparator: Comparison.Comparator, with result: Any
  ) throws -> Part {
    guard comparator == .equalTo || comparator == .notEqualTo, let result = result as? any PredicateExpression,
      let wanted = known(result) as? ComparisonResult
    else { throw Unsupported() }
    let test: Comparison.Comparator =
      switch wanted {
      case .orderedSame: .equalTo
      case .orderedAscending: .lessThan
      case .orderedDescending: .greaterThan
      }
    let (left, right) = (try expression(order.orderedText), try expression(order.otherText))
    let node = PredicateNode.comparison(
      Comparison(left, test, right, options: order.isLocalized ? .localeSensitive : .caseInsensitive))
    return .predicate(comparator == .equalTo ? node : .not(node))
  }

  func compare(
    _ left: ExpressionNode, comparator: Comparison.Comparator, right: ExpressionNode,
    options: Comparison.Options = []
  ) throws -> Part {
    // Whether the program has a value at all.
    if left.isConstant, right == .constant(.null), comparator == .equalTo || comparator == .notEqualTo {
      return .predicate(.constant((left == right) == (comparator == .equalTo)))
    }
    if rules.areStored {
      try checkStored(left, beside: right)
      try checkStored(right, beside: left)
    }
    return .predicate(.comparison(Comparison(left, comparator, right, options: options)))
  }

  /// Throws for a constant that no store has in this form, so that it would equal nothing there.
  private func checkStored(_ side: ExpressionNode, beside other: ExpressionNode) throws {
    guard case .constant(let constant) = side else { return }
    func check(_ constant: PredicateConstant) throws {
      switch constant {
      case .other: throw Unsupported()
      case .object(let object) where !(object is any PredicateIdentity): throw Unsupported()
      case .collection(let members): try members.forEach(check)
      default: break
      }
    }
    try check(constant)
    if case .data = constant { return }
    if !constant.isNull, opaque.contains(other) { throw Unsupported() }
  }

  /// The members of `sequence` for which `test` is true, or for which it is false.
  mutating func members(
    of sequence: Any, _ variable: PredicateExpressions.VariableID, where test: Any, is expected: Bool = true
  ) throws -> ExpressionNode {
    let sequence = try expression(sequence)
    try checkCollection(sequence)
    madeVariables += 1
    let name = "v\(madeVariables)"
    values[variable] = .variable(name)
    let condition = try predicate(test)
    return .subquery(sequence, variable: name, expected ? condition : .not(condition))
  }

  /// As many members of the program's collections are asked for one by one, as SQLite takes values in a statement.
  private static let mostTests = 32_766

  /// The tests of all members of a collection of the program's, joined; nil for a collection that is in a store.
  mutating func tests<Members: PredicateExpression>(
    of sequence: Members, _ variable: PredicateExpressions.Variable<Members.Output.Element>, _ test: Any,
    isAnd: Bool
  ) throws -> Part? where Members.Output: Sequence {
    guard let members = known(sequence) else { return nil }
    // A range may have more members than there is time to count.
    let list = Array(members.prefix(PredicateConversion.mostTests + 1))
    if list.count > PredicateConversion.mostTests { throw Unsupported() }
    var tests: [PredicateNode] = []
    for member in list {
      values[variable.key] = .constant(constant(member))
      bindings[variable] = member
      tests.append(try predicate(test))
    }
    bindings[variable] = nil
    if tests.isEmpty { return .predicate(.constant(isAnd)) }
    return .predicate(isAnd ? .and(tests) : .or(tests))
  }

  /// Whether that many members exist.
  func count(_ members: ExpressionNode, _ comparator: Comparison.Comparator) -> Part {
    .predicate(.comparison(Comparison(members.appending(["@count"]), comparator, .constant(.int(0)))))
  }
}

/// The sets that managed objects have for relationships to many.
private protocol ManySubjects {}
extension Set: ManySubjects where Element: PredicateSubject {}

/// An expression of a `Predicate` that the format language can say.
protocol ConvertibleExpression {
  func part(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Part
}
