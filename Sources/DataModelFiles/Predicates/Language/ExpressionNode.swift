import Foundation

/// An expression of a predicate, as a tree.
indirect enum ExpressionNode: Hashable, Sendable {
  case constant(PredicateConstant)
  /// `SELF`
  case evaluatedObject
  /// `$name`; the string is without the `$`.
  case variable(String)
  /// A key path on the evaluated object: `["author", "name"]`, `["chapters", "@count"]`,
  /// `["chapters", "@sum", "pages"]`. Never empty.
  case keyPath([String])
  /// A key path on another expression: `$x.name`, `SUBQUERY(…).@count`, `function(…).key`.
  case nested(ExpressionNode, [String])
  /// A function by its selector, such as `"add:to:"`. `PredicateFunction` lists those that can be evaluated.
  case function(String, [ExpressionNode])
  /// `{1, 2, x}`. An aggregate of constants only is a `constant(.collection(…))` instead.
  case aggregate([ExpressionNode])
  /// `SUBQUERY(collection, $variable, predicate)`
  case subquery(ExpressionNode, variable: String, PredicateNode)
  /// `TERNARY(predicate, a, b)`
  case conditional(PredicateNode, ExpressionNode, ExpressionNode)
  /// `a UNION b`, `a INTERSECT b`, `a MINUS b`
  case setOperation(SetOperation, ExpressionNode, ExpressionNode)
  /// `a[…]`
  case index(ExpressionNode, Index)
  /// `$name := expression`
  case assignment(String, ExpressionNode)
  /// `ANYKEY`
  case anyKey
  case block(BlockExpression, [ExpressionNode])
  /// `FETCH(request, context, countOnly)`. A store translates it to a sub-select.
  case fetch(ExpressionNode, ExpressionNode, countOnly: Bool)

  enum SetOperation: String, Sendable {
    case union = "UNION"
    case intersect = "INTERSECT"
    case minus = "MINUS"
  }

  enum Index: Hashable, Sendable {
    case first
    case last
    case size
    case at(ExpressionNode)
  }

  /// Makes an expression from a key path: `keyPath` for `"a.b"`, `evaluatedObject` for `"self"`.
  init(keyPath text: String) {
    var path: [String]
    if text.utf8.contains(UInt8(ascii: ".")) {
      path = text.split(separator: ".", omittingEmptySubsequences: true).map(String.init)
    } else {
      path = [text]
    }
    if let first = path.first, first == "self" || first == "SELF" { path.removeFirst() }
    self = path.isEmpty ? .evaluatedObject : .keyPath(path)
  }

  /// The key path `path` of this expression. On `SELF` or a key path, it becomes one longer key path.
  func appending(_ path: [String]) -> ExpressionNode {
    switch self {
    case _ where path.isEmpty: self
    case .evaluatedObject: .keyPath(path)
    case .keyPath(let start): .keyPath(start + path)
    case .nested(let base, let start): .nested(base, start + path)
    default: .nested(self, path)
    }
  }

  /// The key path `x.a.b` for a `FUNCTION(x, "valueForKeyPath:", "a.b")`, which `NSExpression` makes of a key path on
  /// an expression; nil for other expressions.
  var keyPathCall: ExpressionNode? {
    guard case .function(PredicateFunction.methodCall, let arguments) = self, arguments.count == 3,
      case .constant(.string(let method)) = arguments[1], method == "valueForKeyPath:" || method == "valueForKey:",
      case .constant(.string(let path)) = arguments[2]
    else { return nil }
    return arguments[0].appending(path.split(separator: ".").map(String.init))
  }

  /// Whether it is a constant.
  var isConstant: Bool { if case .constant = self { true } else { false } }
}

/// An expression that is Swift code. It can be evaluated in memory only. `@unchecked Sendable`: see `BlockPredicate`.
final class BlockExpression: Hashable, @unchecked Sendable {
  /// Receives the evaluated object, the values of the arguments, and a dictionary for the code's own use.
  let body: (Any?, [Any], NSMutableDictionary?) -> Any

  init(_ body: @escaping (Any?, [Any], NSMutableDictionary?) -> Any) { self.body = body }

  static func == (left: BlockExpression, right: BlockExpression) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
