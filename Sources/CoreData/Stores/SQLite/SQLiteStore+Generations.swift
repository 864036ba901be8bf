/// One generation of a store: rows are read through a connection that stands in a read transaction.
///
/// It has a row cache of its own: the store's holds newer rows, which nobody in this generation may see, and the
/// older ones that are read here must not come before them.
final class SQLiteGeneration: RowReader {
  let reader: PinnedReader
  let rowCache: RowCache
  /// Not kept: a store that is removed while a context is pinned must be able to close its file.
  private weak var store: SQLiteStore?

  init(_ reader: PinnedReader, of store: SQLiteStore) {
    self.reader = reader
    self.store = store
    rowCache = RowCache(store.layouts)
  }

  private func openStore() throws -> SQLiteStore {
    guard let store else {
      throw Failure.queryGenerationUnavailable("the store was removed while the context was pinned")
    }
    return store
  }

  func rows(for fetch: FetchDescription) throws -> FetchOutcome {
    try openStore().rows(for: fetch, in: self)
  }

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    try openStore().rows(forKeys: keys, in: root, self)
  }

  func faultRow(forKey key: Int64, in root: EntityLayout) throws -> RowSnapshot? {
    try openStore().faultRow(forKey: key, in: root, self)
  }

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    try openStore().members(of: relationship, owner: owner, self)
  }

  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    try openStore().memberRows(of: relationship, owners: keys, of: layout, self)
  }
}

extension SQLiteStore {
  /// The state that the store has now, to be read later on; nil without a write-ahead log.
  func pinnedReader() throws -> (any RowReader)? {
    guard let reader = try translatingErrors({ try pool.pin() }) else { return nil }
    return SQLiteGeneration(reader, of: self)
  }

  /// Runs `body` with a connection that reads: of the generation, or of the newest state.
  func read<Result>(
    isFresh: Bool, in generation: SQLiteGeneration?, _ body: (Connection) throws -> Result
  ) throws -> Result {
    if let generation { return try generation.reader.read(body) }
    return try pool.read(isFresh: isFresh, body)
  }

  // The newest state.

  func rows(for fetch: FetchDescription) throws -> FetchOutcome { try rows(for: fetch, in: nil) }

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    try rows(forKeys: keys, in: root, nil)
  }

  func faultRow(forKey key: Int64, in root: EntityLayout) throws -> RowSnapshot? {
    try faultRow(forKey: key, in: root, nil)
  }

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    try members(of: relationship, owner: owner, nil)
  }

  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    try memberRows(of: relationship, owners: keys, of: layout, nil)
  }
}
