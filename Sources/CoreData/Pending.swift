// What other rooms are about to bring. Whoever lands the real thing deletes its lines here.

// Predicates: evaluator, sort keys, reading NSPredicate and NSExpression.
struct SortKey {
  var path: [String]
  var ascending: Bool
  init(_ descriptor: NSSortDescriptor) throws { throw Failure.unsupportedFeature("Sort descriptors").nsError }
  func compare(_ a: PredicateValue, _ b: PredicateValue) -> ComparisonResult { .orderedSame }
}
enum PredicateValue { case constant(PredicateConstant) }
final class PredicateEvaluator {
  init(_ node: PredicateNode) throws { throw Failure.unsupportedFeature("Predicates").nsError }
  func matches(_ subject: NSManagedObject) throws -> Bool { throw Failure.unsupportedFeature("Predicates").nsError }
  static func value(of subject: NSManagedObject, path: [String]) throws -> PredicateValue {
    throw Failure.unsupportedFeature("Predicates").nsError
  }
}
extension NSPredicate {
  var node: PredicateNode { get throws { throw Failure.unsupportedFeature("Predicates").nsError } }
}
@available(*, deprecated)
extension NSExpression {
  var node: ExpressionNode { get throws { throw Failure.unsupportedFeature("Expressions").nsError } }
}
