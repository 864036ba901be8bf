/// Writes predicates and expressions as archived objects of Foundation's classes.
///
/// | class | fields |
/// |---|---|
/// | NSComparisonPredicate | the two expressions and an operator |
/// | NSComparisonPredicateOperator (`<`, `<=`, `>`, `>=`) | type, modifier, NSOptions, and the type again as NSVariant |
/// | NSEqualityPredicateOperator | type, modifier, NSOptions, NSNegate |
/// | NSMatchingPredicateOperator, NSLikePredicateOperator | type, modifier, NSFlags |
/// | NSSubstringPredicateOperator | as those, and NSPosition: 0 for the beginning, 1 for the end |
/// | NSInPredicateOperator (also CONTAINS) | type, modifier, NSFlags |
/// | NSCompoundPredicate | type and members |
/// | NSKeyPathExpression | a call of `valueForKey:` or `valueForKeyPath:` on an operand |
/// | NSFunctionExpression | a call of a method of the class `_NSPredicateUtilities`, or of an operand |
/// | NSFetchRequestExpression | NSFRExpression, NSMOCExpression: expressions for the request and the context |
///
/// It writes trees that are `isArchivable`. Archives have no form for the rest of the language.
enum ArchivedPredicateWriter {
  static func write(_ predicate: PredicateNode, to archive: inout KeyedArchiveBuilder) -> PropertyList {
    switch predicate {
    case .constant(let value):
      return archive.object([value ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], [:])
    case .comparison(let comparison):
      let left = write(comparison.left, to: &archive)
      let right = write(comparison.right, to: &archive)
      return archive.object(
        ["NSComparisonPredicate", "NSPredicate", "NSObject"],
        [
          "NSLeftExpression": left, "NSRightExpression": right,
          "NSPredicateOperator": relation(of: comparison, in: &archive),
        ])
    case .not(let member): return compound(0, [member], in: &archive)
    case .and(let members): return compound(1, members, in: &archive)
    case .or(let members): return compound(2, members, in: &archive)
    case .block: preconditionFailure("A predicate that is Swift code is not archivable.")
    }
  }

  private static func compound(
    _ type: Int64, _ members: [PredicateNode], in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    var places: [PropertyList] = []
    for member in members { places.append(write(member, to: &archive)) }
    return archive.object(
      ["NSCompoundPredicate", "NSPredicate", "NSObject"],
      ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": archive.array(places)])
  }

  private static func relation(
    of comparison: Comparison, in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let type = PropertyList.integer(Int64(comparison.comparator.rawValue))
    let options = PropertyList.integer(Int64(comparison.options.rawValue))
    var fields: [String: PropertyList] = [
      "NSOperatorType": type, "NSModifier": .integer(Int64(comparison.modifier.rawValue)),
    ]
    var classes = ["NSPredicateOperator", "NSObject"]
    switch comparison.comparator {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      classes.insert("NSComparisonPredicateOperator", at: 0)
      fields["NSOptions"] = options
      fields["NSVariant"] = type
    case .equalTo, .notEqualTo:
      classes.insert("NSEqualityPredicateOperator", at: 0)
      fields["NSOptions"] = options
      fields["NSNegate"] = .boolean(comparison.comparator == .notEqualTo)
    case .matches, .like:
      classes.insert(contentsOf: ["NSMatchingPredicateOperator", "NSStringPredicateOperator"], at: 0)
      if comparison.comparator == .like { classes.insert("NSLikePredicateOperator", at: 0) }
      fields["NSFlags"] = options
    case .beginsWith, .endsWith:
      classes.insert(contentsOf: ["NSSubstringPredicateOperator", "NSStringPredicateOperator"], at: 0)
      fields["NSFlags"] = options
      fields["NSPosition"] = .integer(comparison.comparator == .endsWith ? 1 : 0)
    case .in, .contains:
      classes.insert("NSInPredicateOperator", at: 0)
      fields["NSFlags"] = options
    case .between: classes.insert("NSBetweenPredicateOperator", at: 0)
    case .customSelector: preconditionFailure("A comparison by a method is not archivable.")
    }
    return archive.object(classes, fields)
  }

  static func write(_ expression: ExpressionNode, to archive: inout KeyedArchiveBuilder) -> PropertyList {
    func type(_ number: Int64) -> PropertyList { .integer(number) }
    switch expression {
    case .constant(.collection(let members)):
      return aggregate(members.map(ExpressionNode.constant), in: &archive)
    case .constant(let value):
      let place = DataModel.Value(value).map { ArchivedValue.write($0, to: &archive) } ?? KeyedArchiveBuilder.null
      return archive.object(constantClasses, ["NSExpressionType": type(0), "NSConstantValue": place])
    case .evaluatedObject:
      return archive.object(["NSSelfExpression", "NSExpression", "NSObject"], ["NSExpressionType": type(1)])
    case .variable(let name):
      return archive.object(
        ["NSVariableExpression", "NSExpression", "NSObject"],
        ["NSExpressionType": type(2), "NSVariable": archive.string(name)])
    case .keyPath(let path):
      return keyPath(path, 3, path.count == 1 ? "valueForKey:" : "valueForKeyPath:", of: .evaluatedObject, in: &archive)
    case .nested(let operand, let path): return keyPath(path, 4, "valueForKeyPath:", of: operand, in: &archive)
    case .function(PredicateFunction.methodCall, let parts):
      guard case .constant(.string(let selector)) = parts[1] else { break }
      return call(selector, of: write(parts[0], to: &archive), Array(parts[2...]), in: &archive)
    case .function(let selector, let arguments):
      let operand = archive.object(
        constantClasses,
        ["NSExpressionType": type(0), "NSConstantValueClassName": archive.string("_NSPredicateUtilities")])
      return call(selector, of: operand, arguments, in: &archive)
    case .fetch(let request, let context, let countOnly):
      let place = write(request, to: &archive)
      var fields = [
        "NSExpressionType": type(50), "NSFRExpression": place, "NSMOCExpression": write(context, to: &archive),
      ]
      if countOnly { fields["StrataCountOnly"] = .boolean(true) }
      return archive.object(["NSFetchRequestExpression", "NSExpression", "NSObject"], fields)
    case .aggregate(let elements): return aggregate(elements, in: &archive)
    case .subquery, .conditional, .setOperation, .index, .assignment, .anyKey, .block: break
    }
    preconditionFailure("\(expression.modelText) is not archivable.")
  }

  private static func places(
    of expressions: [ExpressionNode], in archive: inout KeyedArchiveBuilder
  ) -> [PropertyList] {
    var places: [PropertyList] = []
    for expression in expressions { places.append(write(expression, to: &archive)) }
    return places
  }

  private static func aggregate(
    _ elements: [ExpressionNode], in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let places = places(of: elements, in: &archive)
    return archive.object(
      ["NSAggregateExpression", "NSExpression", "NSObject"],
      ["NSExpressionType": .integer(14), "NSCollection": archive.array(places)])
  }

  private static func keyPath(
    _ path: [String], _ type: Int64, _ selector: String, of operand: ExpressionNode,
    in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let place = write(operand, to: &archive)
    let keys = archive.object(
      ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
      ["NSExpressionType": .integer(10), "NSKeyPath": archive.string(path.joined(separator: "."))])
    return archive.object(
      ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
      [
        "NSExpressionType": .integer(type), "NSOperand": place, "NSSelectorName": archive.string(selector),
        "NSArguments": archive.mutableArray([keys]),
      ])
  }

  private static func call(
    _ selector: String, of operand: PropertyList, _ arguments: [ExpressionNode], in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let places = places(of: arguments, in: &archive)
    return archive.object(
      ["NSFunctionExpression", "NSExpression", "NSObject"],
      [
        "NSExpressionType": .integer(4), "NSOperand": operand, "NSSelectorName": archive.string(selector),
        "NSArguments": archive.mutableArray(places),
      ])
  }

  private static let constantClasses = ["NSConstantValueExpression", "NSExpression", "NSObject"]
}

extension PredicateNode {
  /// The greatest depth of an archived tree. `ArchivedPredicateReader` reads no deeper ones.
  fileprivate static let archivedDepth = 100

  /// Whether an archive can hold the whole tree.
  var isArchivable: Bool { fits(PredicateNode.archivedDepth) && hasForm }

  fileprivate var hasForm: Bool {
    switch self {
    case .block: return false
    case .comparison(let comparison):
      let options = comparison.options
      if comparison.comparator == .customSelector || options.contains(.word) { return false }
      if !options.isEmpty, !comparison.comparator.takesOptions { return false }
    case .constant, .and, .or, .not: break
    }
    return allChildren(\.hasForm, conditions: \.hasForm)
  }
}

extension ExpressionNode {
  /// Whether an archive can hold the whole tree.
  var isArchivable: Bool { fits(PredicateNode.archivedDepth) && hasForm }

  fileprivate var hasForm: Bool {
    switch self {
    case .subquery, .conditional, .setOperation, .index, .assignment, .anyKey, .block: return false
    case .constant(let value): return value.hasForm
    case .function(PredicateFunction.methodCall, let parts):
      guard parts.count >= 2, case .constant(.string) = parts[1] else { return false }
    case .function(let selector, _):
      if PredicateFunction(rawValue: selector) == nil { return false }
    case .evaluatedObject, .variable, .keyPath, .nested, .aggregate, .fetch: break
    }
    return allChildren(\.hasForm, conditions: \.hasForm)
  }
}

extension PredicateConstant {
  fileprivate var hasForm: Bool {
    switch self {
    case .nothing: true
    case .collection(let members): members.allSatisfy(\.hasForm)
    case .bool, .int, .double, .date, .string, .data, .uuid, .url, .decimal, .object, .other:
      DataModel.Value(self) != nil
    }
  }
}

extension Comparison.Comparator {
  /// Whether the operator takes options such as `[cd]`.
  var takesOptions: Bool { rawValue >= Self.equalTo.rawValue && self != .between }
}
