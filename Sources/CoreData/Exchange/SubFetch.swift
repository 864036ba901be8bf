/// The resolved request of a FETCH expression in a predicate. A store makes a sub-select of it.
///
/// It is a constant of the predicate: it does not depend on the fetch around it, so it has one value for all rows.
final class SubFetch: FetchOperand, CustomStringConvertible {
  let fetch: FetchDescription
  /// Whether it asks for the count, whatever the expression says.
  let isCount: Bool
  let includesPendingChanges: Bool
  private let request: any FetchOperand

  init(_ fetch: FetchDescription, isCount: Bool, includesPendingChanges: Bool, of request: any FetchOperand) {
    self.fetch = fetch
    self.isCount = isCount
    self.includesPendingChanges = includesPendingChanges
    self.request = request
  }

  func value(in context: Any?, countOnly: Bool) throws -> PredicateValue {
    try request.value(in: context, countOnly: countOnly)
  }

  var description: String { "\(request)" }

  /// The only column of its dictionaries; nil if it finds objects.
  var column: DictionaryFetch.Column? {
    if case .dictionaries(let dictionaries) = fetch.output { return dictionaries.columns[0] }
    return nil
  }
}
