package import CoreData
import Foundation

/// One generation of a store. It has a row cache of its own, since the store's cache holds newer rows: they must not
/// show up in this generation, and its older rows must not replace them.
package final class ServerGeneration: StoreGeneration {
  private let pinned: PinnedConnection
  private let rowCache: RowCache
  /// The store, weak so that it can be removed while a context is pinned; removing it closes its connections.
  private weak var store: PostgreSQLStore?

  init(_ pinned: PinnedConnection, of store: PostgreSQLStore) {
    self.pinned = pinned
    self.store = store
    rowCache = RowCache(store.layouts)
  }

  package func reader() throws -> any RowReader {
    guard let store else {
      throw StoreFailure.generationUnavailable("the store was removed while the context was pinned")
    }
    return PinnedServerReader(StateQuestions(store: store, rowCache: rowCache, pinned: pinned))
  }
}

/// Reads the state of a generation. It keeps the store alive for as long as it lives itself.
private final class PinnedServerReader: RowReader {
  private let questions: StateQuestions

  init(_ questions: StateQuestions) { self.questions = questions }

  var rowCache: RowCache { questions.rowCache }

  func rows(for fetch: FetchDescription) throws -> FetchOutcome { try questions.rows(for: fetch) }

  func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    try questions.rows(forKeys: keys, in: root)
  }

  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    try questions.members(of: relationship, owner: owner)
  }

  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    try questions.memberRows(of: relationship, owners: keys, of: layout)
  }
}
