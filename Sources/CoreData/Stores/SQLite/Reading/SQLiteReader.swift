/// Reads the rows of a SQLite file. The store reads its newest state, a `PinnedSQLiteReader` an older one. Extensions
/// answer the questions of `RowReader` once for both.
protocol SQLiteReader: RowReader {
  var store: SQLiteStore { get }

  // What every fault needs of the store. It does not go through `store`, because that would retain the store for each
  // fault, and a retain is slow for an object that has weak references.
  var queries: QueryPlans! { get }
  var externalFiles: ExternalFiles { get }
  func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result

  /// Runs `body` with a connection that reads.
  ///
  /// - Parameter isFresh: whether the connection must see every commit up to now. If false, it may be in a transaction
  ///   that an earlier read has left open, so that faults fired one after another share it.
  func withConnection<Result>(isFresh: Bool, _ body: (Connection) throws -> Result) throws -> Result
}

extension SQLiteReader {
  func read<Result>(isFresh: Bool, _ body: (Connection) throws -> Result) throws -> Result {
    try translatingErrors { try withConnection(isFresh: isFresh, body) }
  }
}

extension SQLiteStore: SQLiteReader {
  var store: SQLiteStore { self }

  func withConnection<Result>(isFresh: Bool, _ body: (Connection) throws -> Result) throws -> Result {
    if quietFile != nil { try updateCopy() }
    return try pool.read(isFresh: isFresh, body)
  }

  /// The current state of the store, to be read later on; nil without a write-ahead log.
  func pinnedGeneration() throws -> (any StoreGeneration)? {
    try translatingErrors { try updateCopy() }
    guard let pinned = try translatingErrors({ try pool.pin() }) else { return nil }
    return SQLiteGeneration(pinned, of: self)
  }

  func changedElsewhere(_ rows: [RowReference]) {
    // First, because open transactions may still see the state before the change.
    pool.didCommit()
    rowCache.invalidate(rows)
  }
}

/// Reads the state of a generation, and keeps the store while it does.
private final class PinnedSQLiteReader: SQLiteReader {
  let store: SQLiteStore
  let rowCache: RowCache
  private let pinned: PinnedReader

  init(_ store: SQLiteStore, rowCache: RowCache, pinned: PinnedReader) {
    self.store = store
    self.rowCache = rowCache
    self.pinned = pinned
  }

  var queries: QueryPlans! { store.queries }
  var externalFiles: ExternalFiles { store.externalFiles }

  func translatingErrors<Result>(_ body: () throws -> Result) throws -> Result {
    try store.translatingErrors(body)
  }

  func withConnection<Result>(isFresh: Bool, _ body: (Connection) throws -> Result) throws -> Result {
    try pinned.read(body)
  }
}

/// One generation of a store. Its rows are read through a connection in an open read transaction.
///
/// It has a row cache of its own. The store's cache holds newer rows, which this generation must not see, and the older
/// rows that are read here must not replace them.
final class SQLiteGeneration: StoreGeneration {
  private let pinned: PinnedReader
  private let rowCache: RowCache
  /// Not kept alive, because a store that is removed while a context is pinned must be able to close its file.
  private let store: LivingReference<SQLiteStore>

  fileprivate init(_ pinned: PinnedReader, of store: SQLiteStore) {
    self.pinned = pinned
    self.store = LivingReference(store)
    rowCache = RowCache(store.layouts)
  }

  func reader() throws -> any RowReader {
    guard let store = store.object else {
      throw Failure.queryGenerationUnavailable("the store was removed while the context was pinned")
    }
    return PinnedSQLiteReader(store, rowCache: rowCache, pinned: pinned)
  }
}
