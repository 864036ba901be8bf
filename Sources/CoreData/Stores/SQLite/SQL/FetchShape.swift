/// What the text of a simple fetch depends on: entity, output, properties, operators, order, limit, but no
/// value.
///
/// Fetches of one shape share a statement, which is found without translating anything. That is why predicates are read
/// here a second time: of a fetch by an indexed column, making the tree alone would take 14 % more instructions, making
/// and printing it 60 %. Simple are predicates
/// of `ColumnComparison`s under any AND, OR and NOT, sorted by columns as they are. Each comparison becomes one
/// parameter, and the printer keeps the predicate's order. Other fetches are translated each time, and find their
/// prepared statement by its text.
package struct FetchShape: Hashable {
  package enum Output: Int {
    case rows, references, count
  }

  /// The predicate's tree without its values, as numbers: those of columns are positive.
  private var words: [Int] = []

  /// nil if the fetch is not simple.
  ///
  /// - Parameter bindings: takes the predicate's values.
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
