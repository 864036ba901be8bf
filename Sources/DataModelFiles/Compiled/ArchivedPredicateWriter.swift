/// Writes predicates and expressions as archived objects of Foundation's classes.
///
/// | class | fields |
/// |---|---|
/// | NSComparisonPredicate | the two expressions and an operator |
/// | NSComparisonPredicateOperator (`<`, `<=`, `>`, `>=`) | type, modifier, NSOptions, NSVariant: the type again |
/// | NSEqualityPredicateOperator | type, modifier, NSOptions, NSNegate |
/// | NSMatchingPredicateOperator, NSLikePredicateOperator | type, modifier, NSFlags |
/// | NSSubstringPredicateOperator | as those, and NSPosition: 0 for the beginning, 1 for the end |
/// | NSInPredicateOperator (also CONTAINS) | type, modifier, NSFlags |
/// | NSCompoundPredicate | type and members |
/// | NSKeyPathExpression | a call of `valueForKey:` or `valueForKeyPath:` on an operand |
/// | NSFunctionExpression | a call of a method of the class `_NSPredicateUtilities`, or of an operand |
/// | NSFetchRequestExpression | NSFRExpression, NSMOCExpression: what gives the request and the context |
enum ArchivedPredicateWriter {
  static func write(_ predicate: ModelPredicate, to archive: inout KeyedArchiveBuilder) -> PropertyList {
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
    }
  }

  private static func compound(
    _ type: Int64, _ members: [ModelPredicate], in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    var places: [PropertyList] = []
    for member in members { places.append(write(member, to: &archive)) }
    return archive.object(
      ["NSCompoundPredicate", "NSPredicate", "NSObject"],
      ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": archive.array(places)])
  }

  private static func relation(
    of comparison: ModelPredicate.Comparison, in archive: inout KeyedArchiveBuilder
  ) -> PropertyList {
    let type = PropertyList.integer(Int64(comparison.relation.rawValue))
    let options = PropertyList.integer(Int64(comparison.options.rawValue))
    var fields: [String: PropertyList] = [
      "NSOperatorType": type, "NSModifier": .integer(Int64(comparison.modifier.rawValue)),
    ]
    var classes = ["NSPredicateOperator", "NSObject"]
    switch comparison.relation {
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      classes.insert("NSComparisonPredicateOperator", at: 0)
      fields["NSOptions"] = options
      fields["NSVariant"] = type
    case .equal, .notEqual:
      classes.insert("NSEqualityPredicateOperator", at: 0)
      fields["NSOptions"] = options
      fields["NSNegate"] = .boolean(comparison.relation == .notEqual)
    case .matches, .like:
      classes.insert(contentsOf: ["NSMatchingPredicateOperator", "NSStringPredicateOperator"], at: 0)
      if comparison.relation == .like { classes.insert("NSLikePredicateOperator", at: 0) }
      fields["NSFlags"] = options
    case .beginsWith, .endsWith:
      classes.insert(contentsOf: ["NSSubstringPredicateOperator", "NSStringPredicateOperator"], at: 0)
      fields["NSFlags"] = options
      fields["NSPosition"] = .integer(comparison.relation == .endsWith ? 1 : 0)
    case .isIn, .contains:
      classes.insert("NSInPredicateOperator", at: 0)
      fields["NSFlags"] = options
    case .between: classes.insert("NSBetweenPredicateOperator", at: 0)
    }
    return archive.object(classes, fields)
  }

  static func write(_ expression: ModelExpression, to archive: inout KeyedArchiveBuilder) -> PropertyList {
    func type(_ number: Int64) -> PropertyList { .integer(number) }
    switch expression {
    case .null:
      return archive.object(
        constantClasses, ["NSExpressionType": type(0), "NSConstantValue": KeyedArchiveBuilder.null])
    case .constant(let value):
      let place = ArchivedValue.write(value, to: &archive)
      return archive.object(constantClasses, ["NSExpressionType": type(0), "NSConstantValue": place])
    case .evaluatedObject:
      return archive.object(["NSSelfExpression", "NSExpression", "NSObject"], ["NSExpressionType": type(1)])
    case .variable(let name):
      return archive.object(
        ["NSVariableExpression", "NSExpression", "NSObject"],
        ["NSExpressionType": type(2), "NSVariable": archive.string(name)])
    case .keyPath(let path, let operand):
      let isOwn = operand == .evaluatedObject
      let selector = isOwn && !path.contains(".") ? "valueForKey:" : "valueForKeyPath:"
      let place = write(operand, to: &archive)
      let keys = archive.object(
        ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
        ["NSExpressionType": type(10), "NSKeyPath": archive.string(path)])
      return archive.object(
        ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"],
        [
          "NSExpressionType": type(isOwn ? 3 : 4), "NSOperand": place, "NSSelectorName": archive.string(selector),
          "NSArguments": archive.mutableArray([keys]),
        ])
    case .function(let selector, let arguments):
      let operand = archive.object(
        constantClasses,
        ["NSExpressionType": type(0), "NSConstantValueClassName": archive.string("_NSPredicateUtilities")])
      var places: [PropertyList] = []
      for argument in arguments { places.append(write(argument, to: &archive)) }
      return archive.object(
        ["NSFunctionExpression", "NSExpression", "NSObject"],
        [
          "NSExpressionType": type(4), "NSOperand": operand, "NSSelectorName": archive.string(selector),
          "NSArguments": archive.mutableArray(places),
        ])
    case .method(let selector, let operand, let arguments):
      let place = write(operand, to: &archive)
      var places: [PropertyList] = []
      for argument in arguments { places.append(write(argument, to: &archive)) }
      return archive.object(
        ["NSFunctionExpression", "NSExpression", "NSObject"],
        [
          "NSExpressionType": type(4), "NSOperand": place, "NSSelectorName": archive.string(selector),
          "NSArguments": archive.mutableArray(places),
        ])
    case .fetch(let request, let context, let countOnly):
      let place = write(request, to: &archive)
      var fields = [
        "NSExpressionType": type(50), "NSFRExpression": place, "NSMOCExpression": write(context, to: &archive),
      ]
      if countOnly { fields["StrataCountOnly"] = .boolean(true) }
      return archive.object(["NSFetchRequestExpression", "NSExpression", "NSObject"], fields)
    case .aggregate(let elements):
      var places: [PropertyList] = []
      for element in elements { places.append(write(element, to: &archive)) }
      return archive.object(
        ["NSAggregateExpression", "NSExpression", "NSObject"],
        ["NSExpressionType": type(14), "NSCollection": archive.array(places)])
    }
  }

  private static let constantClasses = ["NSConstantValueExpression", "NSExpression", "NSObject"]
}
