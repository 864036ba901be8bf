import Foundation

/// Compiles a tree into closures.
struct PredicateCompiler {
  let variables: [String: PredicateValue]
  /// The variables of the surrounding SUBQUERYs, by their index in `EvaluationFrame.locals`.
  private var locals: [String] = []

  init(variables: [String: PredicateValue]) { self.variables = variables }

  mutating func test(_ node: PredicateNode) throws -> Test {
    switch node {
    case .constant(let value): return { _ in value }
    case .and(let members): return all(try members.map { try test($0) })
    case .or(let members): return any(try members.map { try test($0) })
    case .not(let member):
      let inner = try test(member)
      return { try !inner(&$0) }
    case .comparison(let comparison): return try self.comparison(comparison)
    case .block(let block):
      let values = variables.compactMapValues(\.anyValue)
      return { block.body($0.root.anyValue, values) }
    }
  }

  private func all(_ tests: [Test]) -> Test {
    if tests.count == 2 {
      let (first, second) = (tests[0], tests[1])
      return { try first(&$0) && second(&$0) }
    }
    return { frame in
      for test in tests where try !test(&frame) { return false }
      return true
    }
  }

  private func any(_ tests: [Test]) -> Test {
    if tests.count == 2 {
      let (first, second) = (tests[0], tests[1])
      return { try first(&$0) || second(&$0) }
    }
    return { frame in
      for test in tests where try test(&frame) { return true }
      return false
    }
  }

  private mutating func comparison(_ comparison: Comparison) throws -> Test {
    let left = try term(comparison.left)
    let modifier = comparison.modifier
    let matcher = try ValueMatcher(comparison)
    // The usual case is a property compared with a constant. Its test is prepared once.
    if let constant = constantValue(comparison.right) {
      let matches = try matcher.prepared(for: constant)
      switch modifier {
      case .direct: return { try matcher.direct(left(&$0), matches: matches, right: constant) }
      case .any: return { frame in try matcher.any(left(&frame), matches) }
      case .all: return { frame in try matcher.all(left(&frame), matches) }
      }
    }
    let right = try term(comparison.right)
    return { frame in
      let leftValue = try left(&frame)
      let rightValue = try right(&frame)
      let matches = try matcher.prepared(for: rightValue)
      switch modifier {
      case .direct: return try matcher.direct(leftValue, matches: matches, right: rightValue)
      case .any: return try matcher.any(leftValue, matches)
      case .all: return try matcher.all(leftValue, matches)
      }
    }
  }

  /// The value of an expression that is the same for all objects; nil for others.
  private func constantValue(_ node: ExpressionNode) -> PredicateValue? {
    switch node {
    case .constant(let value): .constant(value)
    case .variable(let name) where !locals.contains(name): variables[name]
    default: nil
    }
  }

  mutating func term(_ node: ExpressionNode) throws -> Term {
    switch node {
    case .constant(let value):
      let constant = PredicateValue.constant(value)
      return { _ in constant }
    case .evaluatedObject: return { $0.root }
    case .variable(let name): return try variable(name)
    case .keyPath(let path): return try keyPath(path)
    case .nested(let base, let path):
      let base = try term(base)
      let path = try CompiledKeyPath(path)
      return { try path.value(from: base(&$0)) }
    case .function(let selector, let arguments): return try function(selector, arguments)
    case .aggregate(let members):
      let terms = try members.map { try term($0) }
      return { frame in .values(try terms.map { try $0(&frame) }) }
    case .subquery(let collection, let variable, let predicate):
      return try subquery(collection, variable: variable, predicate: predicate)
    case .conditional(let predicate, let yes, let no):
      let test = try self.test(predicate)
      let (yes, no) = (try term(yes), try term(no))
      return { try test(&$0) ? yes(&$0) : no(&$0) }
    case .setOperation(let operation, let left, let right):
      let (left, right) = (try term(left), try term(right))
      return { try SetArithmetic.perform(operation, left: left(&$0), right: right(&$0)) }
    case .index(let base, let index): return try indexed(base, index)
    case .assignment(_, let value): return try term(value)
    case .anyKey: throw Failure.unsupportedFeature("ANYKEY in an evaluation in memory")
    case .block(let block, let arguments):
      let terms = try arguments.map { try term($0) }
      let context = NSMutableDictionary()
      return { frame in
        let values = try terms.map { try $0(&frame).anyValue ?? NSNull() }
        return PredicateValue(any: block.body(frame.root.anyValue, values, context))
      }
    case .fetch(let request, let context, let countOnly):
      let (request, context) = (try term(request), try term(context))
      return { try FetchEvaluation.value(request(&$0), in: context(&$0), countOnly: countOnly) }
    }
  }

  private func variable(_ name: String) throws -> Term {
    if let place = locals.lastIndex(of: name) { return { $0.locals[place] } }
    guard let value = variables[name] else {
      throw Failure.malformedPredicate(
        format: "$\(name)", offset: nil,
        what: "the variable $\(name) has no value; give it one with withSubstitutionVariables(_:)")
    }
    return { _ in value }
  }

  private func keyPath(_ path: [String]) throws -> Term {
    let compiled = try CompiledKeyPath(path)
    guard path.count == 1, let key = compiled.onlyKey else { return { try compiled.value(from: $0.root) } }
    return { frame in
      if case .subject(let subject) = frame.root { return try subject.predicateValue(for: key) }
      return try compiled.value(from: frame.root)
    }
  }

  private mutating func subquery(
    _ collection: ExpressionNode, variable: String, predicate: PredicateNode
  ) throws -> Term {
    let collection = try term(collection)
    locals.append(variable)
    defer { locals.removeLast() }
    let test = try self.test(predicate)
    return { frame in
      var found: [PredicateValue] = []
      for member in try collection(&frame).members ?? [] {
        frame.locals.append(member)
        defer { frame.locals.removeLast() }
        if try test(&frame) { found.append(member) }
      }
      return .values(found)
    }
  }

  private mutating func indexed(_ base: ExpressionNode, _ index: ExpressionNode.Index) throws -> Term {
    let base = try term(base)
    switch index {
    case .first: return { try base(&$0).members?.first ?? .null }
    case .last: return { try base(&$0).members?.last ?? .null }
    case .size: return { .constant(.int(Int64(try base(&$0).members?.count ?? 0))) }
    case .at(let position):
      let position = try term(position)
      return { frame in
        let value = try base(&frame)
        let place = try position(&frame).constant
        if case .string(let key) = place { return try CompiledKeyPath([key]).value(from: value) }
        guard let members = value.members, let number = place.number, number >= 0,
          number < Double(members.count)
        else { return .null }
        return members[Int(number)]
      }
    }
  }

  private mutating func function(_ selector: String, _ arguments: [ExpressionNode]) throws -> Term {
    let terms = try arguments.map { try term($0) }
    if selector == PredicateFunction.methodCall {
      guard arguments.count >= 2, case .constant(.string(let method)) = arguments[1] else {
        throw Failure.unsupportedFeature("FUNCTION without a selector")
      }
      let call = try MethodCall.named(method, count: arguments.count - 2)
      return { frame in
        try call(terms[0](&frame), terms.dropFirst(2).map { try $0(&frame) })
      }
    }
    guard let function = PredicateFunction(rawValue: selector) else {
      throw Failure.unsupportedFeature("The function \(selector)")
    }
    // The parser has made sure of it; a program or an archive may have put anything together.
    guard function.accepts(arguments.count) else {
      throw Failure.unsupportedFeature("The function \(selector) with \(arguments.count) arguments")
    }
    let apply = try FunctionEvaluation.of(function)
    if function == .cast {
      guard arguments.count == 2, case .constant(.string(let type)) = arguments[1],
        FunctionEvaluation.castTypes.contains(type)
      else {
        let type = arguments.last.map { PredicatePrinter.print($0) } ?? "nothing"
        throw Failure.unsupportedFeature("CAST to \(type) in an evaluation in memory")
      }
    }
    if terms.count == 1 {
      let only = terms[0]
      return { try apply([only(&$0)]) }
    }
    return { frame in try apply(try terms.map { try $0(&frame) }) }
  }
}
