import Foundation

/// The parts of an expression. Each part exists for some types of expression only. Asking another type for it ends the
/// program, where Apple's framework raises an exception.
extension NSCopying where Self: FoundationExpression {
  /// The expression as a tree. Throws for a subclass that is not ours.
  var node: ExpressionNode {
    get throws { try expressionNode(of: self) }
  }

  private var ownNode: ExpressionNode {
    guard let node = try? expressionNode(of: self) else {
      misuse(
        MisuseReport(
          "The expression is of a class that CoreData does not know.",
          facts: [("Class", "\(type(of: self))")],
          how: "", remedy: "Make it with an initializer of NSExpression."))
    }
    return node
  }

  private func missing(_ part: String) -> Never {
    misuse(
      MisuseReport(
        "The expression has no \(part).",
        facts: [("Expression", PredicatePrinter.print(ownNode)), ("Type", "\(expressionType)")], how: "",
        remedy: "Ask its expressionType first."))
  }

  private func wrap(_ node: ExpressionNode) -> FoundationExpression { NodeExpression.make(node) }

  /// The type of the expression. The other properties belong to the types that they name: asking for a part that the
  /// expression does not have ends the program.
  public var expressionType: FoundationExpressionType {
    switch ownNode {
    case .constant: .constantValue
    case .evaluatedObject: .evaluatedObject
    case .variable: .variable
    case .keyPath: .keyPath
    // Apple's parser makes `$x.name` a call of valueForKeyPath:.
    case .nested, .function, .index, .assignment, .fetch: .function
    case .setOperation(.union, _, _): .unionSet
    case .setOperation(.intersect, _, _): .intersectSet
    case .setOperation(.minus, _, _): .minusSet
    case .subquery: .subquery
    case .aggregate: .aggregate
    case .anyKey: .anyKey
    case .block: .block
    case .conditional: .conditional
    }
  }

  /// The value of a constant.
  public var constantValue: Any? {
    guard case .constant(let value) = ownNode else { missing("constantValue") }
    return value.anyValue
  }

  /// The path of a key path, or the one applied to another expression.
  public var keyPath: String {
    switch ownNode {
    case .keyPath(let path), .nested(_, let path): return path.joined(separator: ".")
    default: missing("keyPath")
    }
  }

  /// The name of a variable, or of the variable of a subquery or an assignment.
  public var variable: String {
    switch ownNode {
    case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): return name
    default: missing("variable")
    }
  }

  /// The selector of a function.
  public var function: String {
    switch ownNode {
    case .function(PredicateFunction.methodCall, let arguments):
      guard arguments.count > 1, case .constant(.string(let name)) = arguments[1] else { missing("function") }
      return name
    case .function(let selector, _): return selector
    case .nested: return "valueForKeyPath:"
    case .index: return PredicateFunction.elementAt.rawValue
    default: missing("function")
    }
  }

  /// The operand of a method or a key path.
  public var operand: FoundationExpression {
    switch ownNode {
    case .nested(let base, _), .index(let base, _): return wrap(base)
    case .function(PredicateFunction.methodCall, let arguments): return wrap(arguments[0])
    case .keyPath: return wrap(.evaluatedObject)
    default: missing("operand")
    }
  }

  /// The arguments of a function or a block.
  public var arguments: [FoundationExpression]? {
    switch ownNode {
    case .function(PredicateFunction.methodCall, let arguments): return arguments.dropFirst(2).map(wrap)
    case .function(_, let arguments), .block(_, let arguments): return arguments.map(wrap)
    case .nested(_, let path): return [wrap(.constant(.string(path.joined(separator: "."))))]
    case .index(let base, let index): return [wrap(base), wrap(index.argument)]
    default: missing("arguments")
    }
  }

  /// The expressions of an aggregate, or the expression that a subquery filters.
  public var collection: Any {
    switch ownNode {
    case .aggregate(let members): return members.map(wrap)
    case .subquery(let collection, _, _): return wrap(collection)
    case .constant(.collection(let values)): return values.map { wrap(.constant($0)) }
    default: missing("collection")
    }
  }

  /// The predicate of a subquery or a conditional.
  public var predicate: NSPredicate {
    switch ownNode {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _): return .make(predicate)
    default: missing("predicate")
    }
  }

  /// The left operand of a set operation.
  public var left: FoundationExpression {
    guard case .setOperation(_, let left, _) = ownNode else { missing("left") }
    return wrap(left)
  }

  /// The right operand of a set operation.
  public var right: FoundationExpression {
    guard case .setOperation(_, _, let right) = ownNode else { missing("right") }
    return wrap(right)
  }

  /// The value of a conditional if its predicate holds.
  public var `true`: FoundationExpression {
    guard case .conditional(_, let yes, _) = ownNode else { missing("true") }
    return wrap(yes)
  }

  /// The value of a conditional if its predicate does not hold.
  public var `false`: FoundationExpression {
    guard case .conditional(_, _, let no) = ownNode else { missing("false") }
    return wrap(no)
  }

  /// The block that is called with the object, the arguments and the variables.
  public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
    guard case .block(let block, _) = ownNode else { missing("expressionBlock") }
    return block.body
  }

  /// The expression's value for `object`. `context` has the values of variables. If a migration manager or a policy is
  /// among them, the expression may call its methods, as those of mapping models do.
  public func expressionValue(with object: Any?, context: NSMutableDictionary?) -> Any? {
    do {
      var variables: [String: Any] = [:]
      for case (let name as String, let value) in context ?? [:] { variables[name] = value }
      let evaluator = variables.values.lazy.compactMap { $0 as? any ExpressionEvaluating }.first
      let value: Any?
      if let evaluator {
        value = try evaluator.value(of: ownNode, for: object, variables: variables)
      } else {
        value = try PredicateEvaluator.value(of: ownNode, for: object, variables: variables)
      }
      return ownNode.many(from: object, variables).map { $0.set(of: value) } ?? value
    } catch {
      misuse(
        MisuseReport(
          Failure.words(of: error),
          facts: [("Call", "NSExpression.expressionValue(with:context:)"), ("Expression", "\(self)")],
          how: "", remedy: ""))
    }
  }
}

extension ExpressionNode {
  /// The first relationship to many that a key path on a managed object goes through; nil for other expressions.
  fileprivate func many(from root: Any?, _ variables: [String: Any]) -> LayoutProperty? {
    let (start, path): (Any?, [String])
    switch self {
    case .keyPath(let keys): (start, path) = (root, keys)
    case .nested(.variable(let name), let keys): (start, path) = (variables[name], keys)
    case .constant, .evaluatedObject, .variable, .nested, .function, .aggregate, .subquery, .conditional, .setOperation,
      .index, .assignment, .anyKey, .block, .fetch:
      return nil
    }
    guard let object = start as? NSManagedObject, !path.contains(where: { $0.hasPrefix("@") }) else { return nil }
    return object.layout.many(on: path.map(PredicateKey.init))?.property
  }
}

extension LayoutProperty {
  /// The list of what the relationship's members have, as the set that key-value coding makes of it.
  fileprivate func set(of list: Any?) -> Any? {
    guard let members = (list as? [Any])?.filter({ !($0 is NSNull) }) else { return list }
    return isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
  }
}
