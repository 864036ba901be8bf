/// Where rows are read: a store, which answers from its newest state, or one generation of it.
///
/// Calls may come from any thread; a reader orders them itself. Rows that it returns are published in its cache.
protocol RowReader: AnyObject {
  var rowCache: RowCache { get }

  /// The reader that `context` should use. Most stores return themselves.
  func reader(for context: AnyObject) -> any RowReader

  /// Answers a fetch from committed rows.
  func rows(for fetch: FetchDescription) throws -> FetchOutcome

  /// The rows of these keys, in any order; keys that have no row are missing from the answer.
  /// All keys are of one entity hierarchy.
  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot]

  /// The row of one key; nil when there is none. What firing a fault comes to.
  func faultRow(forKey key: Int64, in root: EntityLayout) throws -> RowSnapshot?

  /// The members of a to-many relationship, in order where it is ordered.
  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference]

  /// The rows of the members of a to-many relationship, for several owners of one entity: owner by owner, the members
  /// of each in order where they are ordered. What prefetching comes to.
  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow]
}

/// A row that a relationship leads to, and the key of the object that has the relationship.
struct MemberRow {
  let owner: Int64
  let row: RowSnapshot
}

/// What the coordinator asks of a store that speaks in rows. All of the framework's own stores do.
protocol RowStore: NSPersistentStore, RowReader {
  /// Holds on to the state that the store has now, until the reader goes; nil when the store cannot.
  func pinnedReader() throws -> (any RowReader)?

  /// Reserves `count` keys of an entity hierarchy; the first of them is returned, the others follow.
  /// Reserved keys are never given out again, whether or not a save uses them.
  func reserveKeys(_ count: Int, in root: EntityLayout) throws -> Int64

  /// Takes up keys that another store has given out, from 1 to `last`, for its rows to be inserted here. For a store
  /// without rows; false where it can't.
  func admitKeys(upTo last: Int64, in root: EntityLayout) throws -> Bool

  /// Rows that were written elsewhere: from now on they are read again.
  func changedElsewhere(_ rows: [RowReference])

  /// Whether there is metadata that the next commit writes.
  var hasUnsavedMetadata: Bool { get }

  /// Writes all of the change set or none of it.
  func commit(_ changes: ChangeSet) throws -> SaveOutcome

  /// Whether the store takes a predicate with FETCH expressions, and makes sub-selects of them.
  var translatesFetches: Bool { get }

  /// Whether rows to be inserted may refer to files of another store: it reads them, and makes its own.
  var followsReferences: Bool { get }

  /// Whether the store has its rows in memory and answers fetches by evaluation: a fetch with code of the program's in it
  /// may as well be evaluated over a context's objects.
  var evaluatesFetches: Bool { get }

  /// Whether the store knows batch requests.
  var executesBatches: Bool { get }

  /// Deletes rows and applies the delete rules, all or nothing. The rows that were chosen are returned, not those
  /// that went along.
  func delete(_ batch: BatchDelete, by origin: ChangeOrigin) throws -> [RowReference]

  /// Changes rows, all or nothing, and returns which. Throws a `BatchConflict` if they break a constraint.
  func update(_ batch: BatchUpdate, by origin: ChangeOrigin) throws -> [RowReference]

  /// Inserts rows, all or nothing. Throws a `BatchConflict` if they break a constraint and are not to give way.
  func insert(_ batch: BatchInsert, by origin: ChangeOrigin) throws -> BatchInserted

  /// The history of what was written; nil for a store that keeps none.
  var storeHistory: (any StoreHistory)? { get }

  /// Calls `told` whenever another process has written to the store, with the number of the last transaction in its
  /// history, if it keeps one. On some queue; until `endWatching()`.
  func beginWatching(_ told: @escaping (Int64?) -> Void)

  func endWatching()
}

extension NSPersistentStore {
  /// The store, if it speaks in rows. What its identity says of itself costs less than the cast.
  final var rowStore: (any RowStore)? {
    if let known = identity.rowStore, known === self { return known }
    return self as? any RowStore
  }
}

extension RowReader {
  func reader(for context: AnyObject) -> any RowReader { self }

  func faultRow(forKey key: Int64, in root: EntityLayout) throws -> RowSnapshot? {
    try rows(forKeys: [key], in: root).first
  }

  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    try keys.flatMap { key -> [MemberRow] in
      let members = try members(of: relationship, owner: RowReference(entity: layout.index, key: key))
      guard let first = members.first else { return [] }
      let root = layout.model.layouts[Int(first.entity)].root
      let rows = try rows(forKeys: members.map(\.key), in: root)
      let byKey = Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
      return members.compactMap { member in byKey[member.key].map { MemberRow(owner: key, row: $0) } }
    }
  }
}

extension RowStore {
  func pinnedReader() throws -> (any RowReader)? { nil }

  func admitKeys(upTo last: Int64, in root: EntityLayout) throws -> Bool {
    try reserveKeys(Int(last), in: root) == 1
  }

  func changedElsewhere(_ rows: [RowReference]) { rowCache.invalidate(rows) }

  var hasUnsavedMetadata: Bool { false }

  var translatesFetches: Bool { false }

  var followsReferences: Bool { false }

  var evaluatesFetches: Bool { false }

  var executesBatches: Bool { false }

  var storeHistory: (any StoreHistory)? { nil }

  func beginWatching(_ told: @escaping (Int64?) -> Void) {}

  func endWatching() {}

  func delete(_ batch: BatchDelete, by origin: ChangeOrigin) throws -> [RowReference] {
    throw Failure.unsupportedRequest(request: "an NSBatchDeleteRequest", store: type)
  }

  func update(_ batch: BatchUpdate, by origin: ChangeOrigin) throws -> [RowReference] {
    throw Failure.unsupportedRequest(request: "an NSBatchUpdateRequest", store: type)
  }

  func insert(_ batch: BatchInsert, by origin: ChangeOrigin) throws -> BatchInserted {
    throw Failure.unsupportedRequest(request: "an NSBatchInsertRequest", store: type)
  }
}
