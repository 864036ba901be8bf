/// A fetch over the rows of one moment.
struct MemoryFetch {
  let description: FetchDescription
  let rows: MemoryRows

  init(_ description: FetchDescription, _ rows: MemoryRows) {
    self.description = description
    self.rows = rows
  }

  func outcome() throws -> FetchOutcome {
    switch description.output {
    case .rows: return .rows(try limited(sorted(matching())))
    case .references: return .references(try limited(sorted(matching())).map(\.reference))
    case .count: return .count(try limited(matching()).count)
    case .dictionaries: throw Failure.unsupportedFeature("Fetching dictionaries from an in-memory store").nsError
    }
  }

  /// The rows that the predicate takes, by key.
  private func matching() throws -> [RowSnapshot] {
    if description.predicate != nil {
      throw Failure.unsupportedFeature("Fetching with a predicate from an in-memory store").nsError
    }
    let table = rows.tables[description.layout.rootIndex]
    let entities = description.entities
    var found: [RowSnapshot] = []
    for key in table.keys {
      guard let row = table[key], entities.contains(row.entity) else { continue }
      found.append(row)
    }
    return found
  }

  private func sorted(_ found: [RowSnapshot]) throws -> [RowSnapshot] {
    if description.sort.isEmpty { return found }
    throw Failure.unsupportedFeature("Sorting a fetch from an in-memory store").nsError
  }

  private func limited(_ found: [RowSnapshot]) -> [RowSnapshot] {
    if description.offset == 0 && description.limit == 0 { return found }
    let rest = found.dropFirst(description.offset)
    return Array(description.limit == 0 ? rest : rest.prefix(description.limit))
  }
}
