/// A store that has all of its rows in memory, whatever it keeps outside.
protocol MemoryBacked: RowStore {
  var committed: CommittedRows { get }
}

extension MemoryBacked {
  var rowCache: RowCache { committed.rowCache }

  var evaluatesFetches: Bool { true }

  /// Reads the newest state.
  var reader: MemoryReader { MemoryReader(committed: committed, identity: identity) }

  func reader(for context: NSManagedObjectContext?) -> any RowReader { reader }
}

/// Reads rows that are in memory.
struct MemoryReader: RowReader {
  let committed: CommittedRows
  let identity: StoreIdentity

  var rowCache: RowCache { committed.rowCache }

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
