/// The resolved request of a FETCH expression in a predicate, or an aggregate over all rows. A store makes a sub-select
/// of it.
///
/// It is a constant of the predicate: it does not depend on the fetch around it, so it has one value for all rows.
final class SubFetch: FetchOperand, CustomStringConvertible {
  let fetch: FetchDescription
  /// Whether it asks for the count, whatever the expression says.
  let isCount: Bool
  let includesPendingChanges: Bool
  /// The client's request; nil for an aggregate of rows.
  let request: (any FetchOperand)?

  init(_ fetch: FetchDescription, isCount: Bool, includesPendingChanges: Bool, of request: (any FetchOperand)?) {
    self.fetch = fetch
    self.isCount = isCount
    self.includesPendingChanges = includesPendingChanges
    self.request = request
  }

  func value(in context: Any?, countOnly: Bool) throws -> PredicateValue {
    guard let request else { preconditionFailure("An aggregate of rows is its context's to answer.") }
    return try request.value(in: context, countOnly: countOnly)
  }

  var description: String {
    if let request { "\(request)" } else { column.map { PredicatePrinter.print($0.expression) } ?? "" }
  }

  /// The aggregate and its operand; nil for a client's request.
  var aggregateOfRows: (aggregate: Aggregate, of: ExpressionNode)? {
    request == nil ? column?.expression.aggregateOfRows : nil
  }

  /// The only column of its dictionaries; nil if it finds objects.
  var column: DictionaryFetch.Column? {
    if case .dictionaries(let dictionaries) = fetch.output { return dictionaries.columns[0] }
    return nil
  }
}
