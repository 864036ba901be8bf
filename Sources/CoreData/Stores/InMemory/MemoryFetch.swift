/// Runs a fetch on the rows of one moment. It uses the same evaluator that applies unsaved changes to a fetch.
struct MemoryFetch {
  let description: FetchDescription
  let view: MemoryView

  init(_ description: FetchDescription, _ view: MemoryView) {
    self.description = description
    self.view = view
  }

  func outcome() throws -> FetchOutcome {
    switch description.output {
    case .rows: return .rows(description.cut(try sorted(matching())))
    case .references:
      return .references(RowReferences(description.cut(try sorted(matching())).lazy.map(\.reference)))
    case .count: return .count(description.cut(try matching()).count)
    case .dictionaries(let fetch):
      return .dictionaries(description.cut(try dictionaries(fetch, matching())).map { NSDictionary(dictionary: $0) })
    }
  }

  /// The rows that meet the predicate, ordered by key.
  private func matching() throws -> [RowSnapshot] {
    if description.runsCode {
      throw Failure.unsupportedFeature(
        "A block predicate or a comparator in a fetch from a SQLite store, or in the request of a FETCH expression,")
    }
    let evaluator = try description.predicate.map { try PredicateEvaluator($0) }
    let table = view.rows.tables[description.layout.rootIndex]
    let entities = description.entities
    var found: [RowSnapshot] = []
    for key in table.keys {
      guard let row = table[key], entities.contains(row.entity) else { continue }
      if found.count & 255 == 0 { try description.watch?.countRows(found.count) }
      if try evaluator?.matches(MemorySubject(row: row, view: view)) ?? true { found.append(row) }
    }
    return found
  }

  private func sorted(_ found: [RowSnapshot]) throws -> [RowSnapshot] {
    try sorted(found) { MemorySubject(row: $0, view: view) }
  }

  /// Sorts by the description's keys. Elements that are equal in all keys keep their order.
  func sorted<Element>(_ found: [Element], _ subject: (Element) -> any PredicateSubject) throws -> [Element] {
    let paths = try description.sort.map { try CompiledKeyPath($0.path) }
    return try description.sort.sorted(found) { element in
      let start = PredicateValue.subject(subject(element))
      return try paths.map { try $0.value(from: start) }
    }
  }
}
