/// A limit that a compiled model stores as a predicate: `SELF >= n`, `length <= n`, `SELF MATCHES "…"`, and for dates
/// `timeIntervalSinceReferenceDate >= n`.
struct ArchivedLimit {
  enum Kind { case minimum, maximum, pattern }
  var kind: Kind
  /// Nil if the limit is on the value itself, otherwise the key of a property of it, such as `length`.
  var subject: String?
  var value: KeyedArchive.Value

  init?(_ predicate: KeyedArchive.Object) {
    guard predicate.className == "NSComparisonPredicate",
      let left = predicate.object("NSLeftExpression"), let right = predicate.object("NSRightExpression"),
      right.integer("NSExpressionType") == 0, let value = right["NSConstantValue"]
    else { return nil }
    switch predicate.object("NSPredicateOperator")?.integer("NSOperatorType") {
    case 1: kind = .maximum
    case 3: kind = .minimum
    case 6: kind = .pattern
    default: return nil
    }
    switch left.integer("NSExpressionType") {
    case 1: subject = nil
    case 3:
      guard left.object("NSOperand")?.integer("NSExpressionType") == 1,
        let key = left.objects("NSArguments").first?.string("NSKeyPath")
      else { return nil }
      subject = key
    default: return nil
    }
    self.value = value
  }
}

extension ArchivedLimit {
  /// What the least and the greatest value of an attribute limit; nil for the value itself.
  static func subject(of type: DataModel.AttributeType) -> String? {
    switch type.notation {
    case .text: "length"
    case .date: "timeIntervalSinceReferenceDate"
    case .integer, .real, .decimal, .boolean, .uuid, .uri, .none: nil
    }
  }

  /// Whether this is what a model says of an attribute of a type. Dates may be compared as such, too.
  func limits(_ type: DataModel.AttributeType) -> Bool {
    kind == .pattern || subject == ArchivedLimit.subject(of: type) || subject == nil && type.notation == .date
  }

  /// The predicate for a limit.
  static func predicate(_ kind: Kind, subject: String?, value: DataModel.Value) -> PredicateNode {
    let left = subject.map { ExpressionNode.keyPath([$0]) } ?? .evaluatedObject
    let comparator: Comparison.Comparator =
      switch kind {
      case .minimum: .greaterThanOrEqualTo
      case .maximum: .lessThanOrEqualTo
      case .pattern: .matches
      }
    var value = value
    if subject != nil, case .date(let seconds) = value { value = .double(seconds) }
    return .comparison(Comparison(left, comparator, .constant(PredicateConstant(value))))
  }
}
