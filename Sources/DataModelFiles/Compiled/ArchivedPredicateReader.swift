import Foundation

/// Reads archived predicates and expressions of Foundation's classes.
struct ArchivedPredicateReader {
  struct Unknown: Error, CustomStringConvertible { var description: String }

  /// How many predicates, expressions and constants one predicate may have. A shared one counts at each use, because
  /// it is read at each use.
  private static let limit = 100_000
  private final class Count { var value = 0 }
  private let count = Count()

  private func countOne() throws {
    count.value += 1
    if count.value > Self.limit {
      throw Unknown(description: "the predicate has more than \(Self.limit) parts")
    }
  }

  func predicate(_ object: KeyedArchive.Object, depth: Int = 0) throws -> PredicateNode {
    guard depth < 100 else { throw Unknown(description: "the predicate is nested too deeply") }
    try countOne()
    switch object.className {
    case "NSTruePredicate": return .constant(true)
    case "NSFalsePredicate": return .constant(false)
    case "NSComparisonPredicate": return try comparison(object)
    case "NSCompoundPredicate":
      let parts = try object.objects("NSSubpredicates").map { try predicate($0, depth: depth + 1) }
      switch object.integer("NSCompoundPredicateType") {
      case 0 where parts.count == 1: return .not(parts[0])
      case 1: return parts.isEmpty ? .constant(true) : .and(parts)
      case 2: return parts.isEmpty ? .constant(false) : .or(parts)
      default: throw Unknown(description: "the compound predicate has an unknown type")
      }
    default: throw Unknown(description: "a predicate of class \(object.className ?? "-") is not known")
    }
  }

  private func comparison(_ object: KeyedArchive.Object) throws -> PredicateNode {
    guard let left = object.object("NSLeftExpression"), let right = object.object("NSRightExpression"),
      let comparison = object.object("NSPredicateOperator")
    else { throw Unknown(description: "a comparison lacks a side or its operator") }
    let type = comparison.integer("NSOperatorType") ?? -1
    guard let comparator = UInt(exactly: type).flatMap(Comparison.Comparator.init), comparator != .customSelector else {
      throw Unknown(description: "operator \(type) is not known")
    }
    let modifier = comparison.integer("NSModifier") ?? 0
    guard let modifier = UInt(exactly: modifier).flatMap(Comparison.Modifier.init) else {
      throw Unknown(description: "the modifier \(modifier) of a comparison is not known")
    }
    let options = comparison.integer("NSFlags") ?? comparison.integer("NSOptions") ?? 0
    let result = PredicateNode.comparison(
      Comparison(
        try expression(left), comparator, try expression(right), modifier: modifier,
        options: comparator.takesOptions ? Comparison.Options(rawValue: UInt(options & 15)) : []))
    return comparison.flag("NSNegate") && comparator != .notEqualTo ? .not(result) : result
  }

  func expression(_ object: KeyedArchive.Object, depth: Int = 0) throws -> ExpressionNode {
    guard depth < 100 else { throw Unknown(description: "the expression is nested too deeply") }
    try countOne()
    let unknown = Unknown(
      description: "an expression of class \(object.className ?? "-") has a form that is not known")
    switch object.integer("NSExpressionType") {
    case 0: return try constant(object["NSConstantValue"], depth: depth)
    case 1: return .evaluatedObject
    case 2:
      guard let name = object.string("NSVariable") else { throw unknown }
      return .variable(name)
    case 3: return try keyPath(object, unknown, depth: depth)
    // A key path on something else than the evaluated object is kept as a function.
    case 4 where object.className == "NSKeyPathExpression": return try keyPath(object, unknown, depth: depth)
    case 4:
      guard let selector = object.string("NSSelectorName") else { throw unknown }
      if selector.hasPrefix("valueForKey"), object.objects("NSArguments").first?.has("NSKeyPath") ?? false {
        return try keyPath(object, unknown, depth: depth)
      }
      let arguments = try object.objects("NSArguments").map { try expression($0, depth: depth + 1) }
      // The language's own functions are methods of a class; what else is called is a method of the operand.
      guard let operand = object.object("NSOperand"), !operand.has("NSConstantValueClassName") else {
        return .function(selector, arguments)
      }
      return .method(selector, of: try expression(operand, depth: depth + 1), arguments)
    case 50:
      guard let request = object.object("NSFRExpression"), let context = object.object("NSMOCExpression") else {
        throw unknown
      }
      return .fetch(
        try expression(request, depth: depth + 1), try expression(context, depth: depth + 1),
        countOnly: object.flag("StrataCountOnly"))
    case 10:
      guard let path = object.string("NSKeyPath") else { throw unknown }
      return ExpressionNode(keyPath: path)
    case 14:
      return ExpressionNode(
        aggregate: try object.objects("NSCollection").map { try expression($0, depth: depth + 1) })
    default: throw unknown
    }
  }

  private func keyPath(
    _ object: KeyedArchive.Object, _ unknown: Unknown, depth: Int
  ) throws -> ExpressionNode {
    guard let operand = object.object("NSOperand"),
      let path = object.objects("NSArguments").first?.string("NSKeyPath")
    else { throw unknown }
    let keys = path.split(separator: ".").map(String.init)
    return try expression(operand, depth: depth + 1).appending(keys)
  }

  private func constant(_ value: KeyedArchive.Value?, depth: Int) throws -> ExpressionNode {
    guard let value else { return .constant(.null) }
    guard depth < 100 else { throw Unknown(description: "a constant is nested too deeply") }
    try countOne()
    if let object = value.object, object.has("NS.objects"), !object.has("NS.keys") {
      return ExpressionNode(aggregate: try value.elements.map { try constant($0, depth: depth + 1) })
    }
    if let text = value.string { return .constant(.string(text)) }
    guard let constant = ArchivedValue.read(value, type: .undefined) else {
      throw Unknown(description: "a constant of a predicate has a form that is not known")
    }
    return .constant(PredicateConstant(constant))
  }
}
