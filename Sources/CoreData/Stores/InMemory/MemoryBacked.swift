/// A store that has all of its rows in memory, whatever it keeps outside. It reads them itself: here, for all such
/// stores.
protocol MemoryBacked: RowStore, RowReader {
  var committed: CommittedRows { get }
}

extension MemoryBacked {
  var rowCache: RowCache { committed.rowCache }

  var evaluatesFetches: Bool { true }

  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    try MemoryFetch(fetch, MemoryView(committed.current, identity)).outcome()
  }

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let table = committed.current.tables[root.rootIndex]
    return keys.compactMap { table[$0] }
  }

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    committed.current.members(of: relationship, owner: owner)
  }
}
