/// A store that has all of its rows in memory, whatever it writes elsewhere. This file implements reading for all such
/// stores.
package protocol MemoryBacked: RowStore, RowReader {
  var committed: CommittedRows { get }
}

extension MemoryBacked {
  package var rowCache: RowCache { committed.rowCache }

  package var evaluatesFetches: Bool { true }

  package func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    try MemoryFetch(fetch, MemoryView(committed.current, identity)).outcome()
  }

  package func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    let table = committed.current.tables[root.rootIndex]
    return keys.compactMap { table[$0] }
  }

  package func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    committed.current.members(of: relationship, owner: owner)
  }
}
