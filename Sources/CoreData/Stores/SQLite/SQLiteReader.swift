/// Reads a store's rows: its newest state, or one that is pinned.
///
/// Made for a question or a few; it keeps the store.
struct SQLiteReader: RowReader {
  let store: SQLiteStore
  let rowCache: RowCache
  /// Whose transaction is read; nil for the newest state.
  private let pinned: PinnedReader?

  /// Reads the newest state.
  init(_ store: SQLiteStore) {
    self.store = store
    rowCache = store.rowCache
    pinned = nil
  }

  fileprivate init(_ store: SQLiteStore, _ generation: SQLiteGeneration) {
    self.store = store
    rowCache = generation.rowCache
    pinned = generation.pinned
  }

  /// Runs `body` with a connection that reads.
  ///
  /// - Parameter isFresh: whether it must see every commit up to now. Else it may stand in the transaction
  ///   that an earlier read has left open, so that faults fired one after another don't pay for one each.
  func read<Result>(isFresh: Bool, _ body: (Connection) throws -> Result) throws -> Result {
    try store.translatingErrors {
      if let pinned { return try pinned.read(body) }
      return try store.pool.read(isFresh: isFresh, body)
    }
  }
}

/// One generation of a store: rows are read through a connection that stands in a read transaction.
///
/// It has a row cache of its own: the store's holds newer rows, which nobody in this generation may see, and
/// the older ones that are read here must not come before them.
final class SQLiteGeneration: StoreGeneration {
  fileprivate let pinned: PinnedReader
  fileprivate let rowCache: RowCache
  /// Not kept: a store that is removed while a context is pinned must be able to close its file.
  private weak var store: SQLiteStore?

  fileprivate init(_ pinned: PinnedReader, of store: SQLiteStore) {
    self.pinned = pinned
    self.store = store
    rowCache = RowCache(store.layouts)
  }

  func reader() throws -> any RowReader {
    guard let store else {
      throw Failure.queryGenerationUnavailable("the store was removed while the context was pinned")
    }
    return SQLiteReader(store, self)
  }
}

extension SQLiteStore {
  /// Reads the newest state.
  var reader: SQLiteReader { SQLiteReader(self) }

  func reader(for context: NSManagedObjectContext?) -> any RowReader { SQLiteReader(self) }

  /// The state that the store has now, to be read later on; nil without a write-ahead log.
  func pinnedGeneration() throws -> (any StoreGeneration)? {
    guard let pinned = try translatingErrors({ try pool.pin() }) else { return nil }
    return SQLiteGeneration(pinned, of: self)
  }

  func changedElsewhere(_ rows: [RowReference]) {
    rowCache.invalidate(rows)
    // Open transactions may still see what was there before.
    pool.didCommit()
  }
}
