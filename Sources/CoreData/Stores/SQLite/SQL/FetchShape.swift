/// Everything that the text of a simple fetch depends on: entity, output, properties, operators, order and limit, but
/// no value.
///
/// Fetches of one shape share a statement, which is found without translating anything. That is why predicates are read
/// a second time here. For a fetch by an indexed column, making the SQL tree would take 14 % more instructions, and
/// making and printing it 60 % more.
///
/// A fetch is simple if its predicate has only `ColumnComparison`s, under any AND, OR and NOT, and if it sorts by
/// columns without a collation. Each comparison becomes one parameter, in the order of the predicate. Other fetches are
/// translated each time, and find their prepared statement by its text.
package struct FetchShape: Hashable {
  package enum Output: Int {
    case rows, references, count
  }

  /// Everything but the values, as numbers. In the predicate's tree a comparison is at least 0; other nodes are
  /// negative.
  private var words: [Int] = []

  /// Returns nil if the fetch is not simple.
  ///
  /// - Parameter bindings: receives the predicate's values.
  package init?(
    _ fetch: FetchDescription, output: Output, entity: EntitySchema, translator: PredicateTranslator,
    bindings: inout [Binding]
  ) {
    words.reserveCapacity(16)
    let flags = (fetch.includesSubentities ? 1 : 0) | (fetch.predicate == nil ? 2 : 0) | output.rawValue << 2
    words.append(fetch.layout.index << 4 | flags)
    if let predicate = fetch.predicate {
      guard add(predicate, entity: entity, translator: translator, bindings: &bindings) else { return nil }
    }
    if output == .count { return }
    words.append(fetch.limit)
    words.append(fetch.offset)
    for key in fetch.sort {
      guard key.path.count == 1, key.comparison == nil, key.collation == .binary,
        let property = entity.storedProperty(named: key.path[0])
      else { return nil }
      words.append(property.slot << 1 | (key.ascending ? 1 : 0))
    }
  }

  private mutating func add(
    _ node: PredicateNode, entity: EntitySchema, translator: PredicateTranslator,
    bindings: inout [Binding]
  ) -> Bool {
    switch node {
    case .comparison(let comparison):
      guard let column = ColumnComparison(comparison, entity: entity, translator: translator) else { return false }
      words.append(column.property.slot << 4 | Int(comparison.comparator.rawValue))
      bindings.append(column.value)
      return true
    case .constant(let value): words.append(value ? -1 : -2)
    case .not: words.append(-3)
    case .and(let members): words.append(-4 - 2 * members.count)
    case .or(let members): words.append(-5 - 2 * members.count)
    case .block: return false
    }
    return node.allChildren(
      { _ in false }, conditions: { add($0, entity: entity, translator: translator, bindings: &bindings) })
  }
}
