/// A fetch request, which this room does not know, as FETCH expressions evaluate it.
protocol FetchOperand: AnyObject {
  /// The results of the fetch in a context, or their number.
  func value(in context: Any?, countOnly: Bool) throws -> PredicateValue
}

enum FetchEvaluation {
  /// Throws an error that names the value if it is not a fetch request.
  static func value(
    _ request: PredicateValue, in context: PredicateValue, countOnly: Bool
  ) throws -> PredicateValue {
    guard let operand = request.anyValue as? any FetchOperand else {
      throw Failure.malformedFetchRequest(
        entity: nil, what: "a FETCH in its predicate has \(words(request)) instead of a fetch request")
    }
    return try operand.value(in: context.anyValue, countOnly: countOnly)
  }

  private static func words(_ value: PredicateValue) -> String { value.anyValue.map { "\($0)" } ?? "nil" }
}

extension PredicateValue {
  /// The value as a constant; objects stay the program's objects.
  var fixed: PredicateConstant {
    switch self {
    case .constant(let value): value
    case .subject(let subject): PredicateConstant(any: subject.predicateObject)
    case .subjects(let subjects): .collection(subjects.map { PredicateConstant(any: $0.predicateObject) })
    case .values(let values): .collection(values.map(\.fixed))
    }
  }
}
