/// What the text of a simple fetch depends on: entity, output, properties, operators, order, limit, but no
/// value.
///
/// Fetches of one shape share a statement, which is found without translating anything. Simple are predicates
/// of `ColumnComparison`s under any AND, OR and NOT. Each becomes one parameter, and the printer keeps the
/// predicate's order. Other fetches are translated each time, and find their prepared statement by its text.
struct FetchShape: Hashable {
  enum Output: Int {
    case rows, references, count
  }

  private var words: [Int] = []

  /// nil if the fetch is not simple.
  ///
  /// - Parameter bindings: takes the predicate's values.
  init?(
    _ fetch: FetchDescription, _ output: Output, _ entity: EntitySchema, _ translator: PredicateTranslator,
    bindings: inout [Binding]
  ) {
    words.reserveCapacity(16)
    let flags = (fetch.includesSubentities ? 1 : 0) | (fetch.predicate == nil ? 2 : 0) | output.rawValue << 2
    words.append(fetch.layout.index << 4 | flags)
    if let predicate = fetch.predicate {
      guard add(predicate, entity, translator, &bindings) else { return nil }
    }
    if output == .count { return }
    words.append(fetch.limit)
    words.append(fetch.offset)
    for key in fetch.sort {
      guard key.path.count == 1, key.comparison == nil,
        let property = entity.storedProperty(named: key.path[0])
      else { return nil }
      words.append(property.slot << 4 | key.collation.number << 1 | (key.ascending ? 1 : 0))
    }
  }

  private enum Mark: Int {
    case and = -1
    case or = -2
    case not = -3
    case always = -4
    case never = -5
  }

  private mutating func add(
    _ node: PredicateNode, _ entity: EntitySchema, _ translator: PredicateTranslator,
    _ bindings: inout [Binding]
  ) -> Bool {
    switch node {
    case .comparison(let comparison):
      guard let column = ColumnComparison(comparison, entity, translator) else { return false }
      words.append(column.property.slot << 4 | Int(comparison.comparator.rawValue))
      bindings.append(column.value)
      return true
    case .and(let members), .or(let members):
      var mark = Mark.or
      if case .and = node { mark = .and }
      words.append(mark.rawValue)
      words.append(members.count)
      for member in members where !add(member, entity, translator, &bindings) { return false }
      return true
    case .not(let member):
      words.append(Mark.not.rawValue)
      return add(member, entity, translator, &bindings)
    case .constant(let value):
      words.append((value ? Mark.always : Mark.never).rawValue)
      return true
    case .block: return false
    }
  }
}

extension SortKey.Collation {
  fileprivate var number: Int {
    switch self {
    case .binary: 0
    case .caseInsensitive: 1
    case .localized: 2
    case .localizedCaseInsensitive: 3
    case .localizedStandard: 4
    }
  }
}
