import Foundation

/// What the stack needs of every store: it reads and writes rows.
///
/// There are two kinds. A `ValueStore` gets changes as values; an `ObjectStore`, whose methods take managed objects,
/// gets them with the objects. Other abilities are protocols (`BatchStore`, `WatchableStore`, `FileOperating`,
/// `InPlaceMigrating`) or flags here.
package protocol RowStore: NSPersistentStore {
  /// The cache of rows that contexts have, in the newest state.
  var rowCache: RowCache { get }

  /// The reader of the newest state for a context, or for none. Only a store whose methods take a context uses it, and
  /// throws if there is none.
  func reader(for context: NSManagedObjectContext?) throws -> any RowReader

  /// Called for rows that were written elsewhere, so that they are read again.
  func changedElsewhere(_ rows: [RowReference])

  /// The store's history; nil if it keeps none.
  var storeHistory: (any StoreHistory)? { get }

  /// Whether there is changed metadata for the next commit to write.
  var hasUnsavedMetadata: Bool { get }

  /// Whether the store takes a predicate with FETCH expressions, and makes sub-selects of them.
  var translatesFetches: Bool { get }

  /// Whether the store has its rows in memory and answers fetches by evaluation: a fetch with code of the
  /// program's in it may as well be evaluated over a context's objects.
  var evaluatesFetches: Bool { get }
}

/// A store that gets changes as values, as all of the framework's own do.
package protocol ValueStore: RowStore {
  /// Pins the store's current state; nil if the store can't do that.
  func pinnedGeneration() throws -> (any StoreGeneration)?

  /// Reserves `count` keys of an entity hierarchy; the first of them is returned, the others follow.
  /// Reserved keys are never given out again, whether or not a save uses them.
  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64

  /// Names `count` keys for rows that the next commit inserts, without writing; nil if the store can only reserve keys.
  func proposeKeys(_ count: Int, in root: EntityLayout) throws -> ProposedKeys?

  /// Frees keys that it has named and that no commit has used.
  func giveBack(_ keys: ProposedKeys)

  /// Takes over the keys 1 to `last` of another store, whose rows will be inserted here. For a store without rows;
  /// false if it can't.
  func admitKeys(upTo last: Int64, in root: EntityLayout) throws -> Bool

  /// Whether rows to be inserted may refer to files of another store: it reads them, and makes its own.
  var followsReferences: Bool { get }

  /// Writes all of the change set or none of it.
  func commit(_ changes: ChangeSet) throws -> SaveOutcome
}

/// A store that knows batch requests.
package protocol BatchStore: ValueStore {
  /// Deletes rows and applies the delete rules, all or nothing. Returns the requested rows, without those that cascades
  /// deleted.
  func delete(_ batch: BatchDelete, by origin: ChangeOrigin) throws -> [RowReference]

  /// Changes rows, all or nothing, and returns them. Throws a `BatchConflict` if they break a constraint.
  func update(_ batch: BatchUpdate, by origin: ChangeOrigin) throws -> [RowReference]

  /// Inserts rows, all or nothing. Throws a `BatchConflict` if they break a constraint and the merge policy does not
  /// settle it.
  func insert(_ batch: BatchInsert, by origin: ChangeOrigin) throws -> BatchInserted
}

/// A store that a server keeps, in tables in place of a file.
package protocol ServerStore: ValueStore {
  /// Whether the place that a URL names has a store already, which a new one must not be mixed with.
  static func isOccupied(_ url: URL) throws -> Bool

  /// Begins to make a new version of a store. From then on nobody else writes to the store, until the new version is
  /// removed. Throws if the store's version is not that of `metadata` any more.
  ///
  /// - Parameter source: the store's model.
  static func newVersion(
    of url: URL, from source: NSManagedObjectModel, _ metadata: [String: Any], to destination: NSManagedObjectModel,
    _ options: [AnyHashable: Any]?
  ) throws -> any NewVersion

  /// Removes a store, all of it or nothing. Does nothing if there is none.
  static func destroyStore(at url: URL, _ options: [AnyHashable: Any]?) throws

  /// Puts a copy of a store in place of another, all of it or nothing.
  static func replaceStore(
    at destination: URL, _ options: [AnyHashable: Any]?, from source: URL, _ sourceOptions: [AnyHashable: Any]?
  ) throws
}

/// A store whose file others may write to.
package protocol WatchableStore: ValueStore {
  /// Calls `told` whenever another process has written to the store, with the number of the last transaction in its
  /// history, if it keeps one. On some queue; until `endWatching()`.
  func beginWatching(_ told: @escaping (Int64?) -> Void)

  func endWatching()
}

extension NSPersistentStore {
  /// The store, if it speaks in rows. What its identity says of itself costs less than the cast.
  package final var rowStore: (any RowStore)? {
    if let known = identity.rowStore, known === self { return known }
    return self as? any RowStore
  }
}

extension NSPersistentStore {
  /// The store as a `ValueStore`; nil if it is none. Found like `rowStore`.
  package final var valueStore: (any ValueStore)? {
    if let known = identity.valueStore, known === self { return known }
    return self as? any ValueStore
  }
}

extension RowStore where Self: RowReader {
  /// Nearly all stores read their newest state themselves.
  package func reader(for context: NSManagedObjectContext?) -> any RowReader { self }
}

extension RowStore {
  package func changedElsewhere(_ rows: [RowReference]) { rowCache.invalidate(rows) }

  package var storeHistory: (any StoreHistory)? { nil }

  package var hasUnsavedMetadata: Bool { false }

  package var translatesFetches: Bool { false }

  package var evaluatesFetches: Bool { false }
}

extension ValueStore {
  package func pinnedGeneration() throws -> (any StoreGeneration)? { nil }

  package func proposeKeys(_ count: Int, in root: EntityLayout) throws -> ProposedKeys? { nil }

  package func giveBack(_ keys: ProposedKeys) {}

  package func admitKeys(upTo last: Int64, in root: EntityLayout) throws -> Bool {
    try reserveKeys(Int(last), in: root) == 1
  }

  package var followsReferences: Bool { false }
}
