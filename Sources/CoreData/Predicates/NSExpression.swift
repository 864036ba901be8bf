import Foundation

typealias NodeExpression = OwnExpressionType<OwnPredicateClasses>

extension OwnPredicateClasses {
  /// An expression of ours. As with comparison predicates, Foundation's class has no initializer that works:
  /// `make(_:)` allocates the object.
  // Immutable after `make(_:)`.
  @available(*, deprecated)
  final class Expression: NSExpression {
    private final class Content {
      let node: ExpressionNode
      init(_ node: ExpressionNode) { self.node = node }
    }

    private var content: Content?

    static func make(_ node: ExpressionNode) -> FoundationExpression {
      if case .fetch(let request, let context, let countOnly) = node {
        return NSFetchRequestExpression.make(request, context, countOnly: countOnly)
      }
      let object = allocateObject(NodeExpression.self)
      object.content = Content(node)
      return object
    }

    var node: ExpressionNode { content!.node }

    override var description: String { PredicatePrinter.print(node, style: .description) }
    override func copy(with zone: NSZone? = nil) -> Any { self }
    override func isEqual(_ object: Any?) -> Bool { (object as? NodeExpression)?.node == node }
    override var hash: Int { node.hashValue }
  }
}

/// The tree of an expression; throws for a subclass that is not ours.
func expressionNode(of expression: FoundationExpression) throws -> ExpressionNode {
  if let fetch = expression as? NSFetchRequestExpression { return fetch.node }
  guard let own = expression as? NodeExpression else {
    throw Failure.unsupportedFeature("A subclass of NSExpression (\(type(of: expression)))").nsError
  }
  return own.node
}

// Extensions of `NSCopying`, for the reason given at `NSComparisonPredicate`: they give Foundation's `NSExpression` its
// initializers and accessors.
extension NSCopying where Self: FoundationExpression {
  fileprivate init(node: ExpressionNode) {
    guard node.fits() else {
      misuse(
        MisuseReport(
          "An expression nests deeper than \(PredicateNode.maximalDepth) levels.",
          facts: [("Call", "NSExpression.init")], how: "",
          remedy: "An aggregate, or a function of one, takes any number of values side by side."))
    }
    self = NodeExpression.make(node) as! Self
  }

  /// Makes an expression from a format, such as `"pages * 2"` or `"max(chapters.pages)"`.
  public init(format expressionFormat: String, _ arguments: Any?...) {
    self.init(format: expressionFormat, argumentArray: arguments)
  }

  /// Makes an expression from a format, with the arguments in an array.
  public init(format expressionFormat: String, argumentArray arguments: [Any?]) {
    do {
      let arguments = ArgumentList.given(arguments, for: expressionFormat)
      self.init(node: try PredicateParser.expression(expressionFormat, arguments: arguments))
    } catch {
      misuse(.malformedPredicate(expressionFormat, error: error))
    }
  }

  /// Makes an expression from a format, with the arguments in a C list; see `NSPredicate(format:arguments:)`.
  public init(format expressionFormat: String, arguments argList: CVaListPointer) {
    do {
      let arguments = try ArgumentList.values(for: expressionFormat, from: argList)
      self.init(node: try PredicateParser.expression(expressionFormat, arguments: arguments))
    } catch {
      misuse(.malformedPredicate(expressionFormat, error: error))
    }
  }

  /// A constant; nil is the predicate language's nil.
  public init(forConstantValue value: Any?) { self.init(node: .constant(PredicateConstant(any: value))) }

  /// `$string`
  public init(forVariable string: String) { self.init(node: .variable(string)) }

  /// The value along a path of property names, such as `author.name`, starting at the evaluated object, or at a
  /// variable, as in `$book.title`.
  public init(forKeyPath keyPath: String) {
    let names = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    if let first = names.first, first.count > 1, first.hasPrefix("$") {
      self.init(node: ExpressionNode.variable(String(first.dropFirst())).appending(Array(names.dropFirst())))
    } else {
      self.init(node: ExpressionNode(keyPath: keyPath))
    }
  }

  /// The property names along a Swift key path, `\Book.author?.name`; the evaluated object for `\Book.self`.
  ///
  /// Ends the program for a key path without names, such as one through a subscript.
  public init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
    guard keyPath as AnyKeyPath != \Root.self as AnyKeyPath else {
      self.init(node: .evaluatedObject)
      return
    }
    guard let path = try? KeyPathNames.path(of: keyPath) else {
      misuse(
        MisuseReport(
          "The key path \(keyPath) has no name that could be found.",
          facts: [("Call", "NSExpression(forKeyPath:)")], how: "", remedy: "Write the key path as a string."))
    }
    self.init(node: .keyPath(path))
  }

  /// Calls one of the language's functions by its selector, such as `"count:"`. The arguments are expressions.
  public init(forFunction name: String, arguments parameters: [Any]) {
    guard let function = PredicateFunction(spelling: name) else {
      misuse(
        MisuseReport(
          "There is no function \"\(name)\" in predicates.",
          facts: [("Call", "NSExpression(forFunction:arguments:)")], how: "",
          remedy: "The functions are " + PredicateFunction.allCases.map(\.rawValue).joined(separator: ", ")
            + "."))
    }
    let arguments = parameters.map(ExpressionNode.init(value:))
    if function == .elementAt, arguments.count == 2 {
      self.init(node: .index(arguments[0], ExpressionNode.Index(argument: arguments[1])))
    } else {
      self.init(node: .function(function.rawValue, arguments))
    }
  }

  /// Calls a method on the value of `target`. `MethodCall` has the methods that can be evaluated.
  public init(
    forFunction target: FoundationExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    let node = ExpressionNode.function(
      PredicateFunction.methodCall,
      [ExpressionNode(value: target), .constant(.string(name))]
        + (parameters ?? []).map(ExpressionNode.init(value:)))
    self.init(node: node.keyPathCall ?? node)
  }

  /// `{first, second}`: expressions, or constants among them.
  public init(forAggregate subexpressions: [Any]) {
    self.init(node: ExpressionNode(aggregate: subexpressions.map(ExpressionNode.init(value:))))
  }

  /// `left UNION right`
  public init(forUnionSet left: FoundationExpression, with right: FoundationExpression) {
    self.init(node: .setOperation(.union, ExpressionNode(value: left), ExpressionNode(value: right)))
  }

  /// `left INTERSECT right`
  public init(forIntersectSet left: FoundationExpression, with right: FoundationExpression) {
    self.init(node: .setOperation(.intersect, ExpressionNode(value: left), ExpressionNode(value: right)))
  }

  /// `left MINUS right`
  public init(forMinusSet left: FoundationExpression, with right: FoundationExpression) {
    self.init(node: .setOperation(.minus, ExpressionNode(value: left), ExpressionNode(value: right)))
  }

  /// `SUBQUERY(expression, $variable, predicate)`
  public init(
    forSubquery expression: FoundationExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    do {
      self.init(node: .subquery(ExpressionNode(value: expression), variable: variable, try predicate.node))
    } catch {
      misuse(.predicateWithoutTree(predicate, error: error))
    }
  }

  /// `TERNARY(predicate, trueExpression, falseExpression)`
  public init(
    forConditional predicate: NSPredicate, trueExpression: FoundationExpression,
    falseExpression: FoundationExpression
  ) {
    do {
      let yes = ExpressionNode(value: trueExpression)
      self.init(node: .conditional(try predicate.node, yes, ExpressionNode(value: falseExpression)))
    } catch {
      misuse(.predicateWithoutTree(predicate, error: error))
    }
  }

  /// Runs Swift code. It can only be evaluated in memory.
  public init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [FoundationExpression]?
  ) {
    self.init(node: .block(BlockExpression(block), (arguments ?? []).map(ExpressionNode.init(value:))))
  }

  /// `SELF`
  public static func expressionForEvaluatedObject() -> FoundationExpression {
    NodeExpression.make(.evaluatedObject)
  }

  /// `ANYKEY`
  public static func expressionForAnyKey() -> FoundationExpression { NodeExpression.make(.anyKey) }
}

extension NSCopying where Self: FoundationExpression {
  /// Does nothing: expressions are not archived, so they are never locked against evaluation.
  public func allowEvaluation() {}
}
