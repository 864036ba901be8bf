/// What the coordinator's other contexts get to know about a save: only values. Any thread.
struct SaveNotice: Sendable {
  struct Part: @unchecked Sendable {
    // `@unchecked Sendable`: ids and rows are immutable.
    let store: StoreIdentity
    var inserted: [RowReference]
    /// Held, so that the store's cache has them until they are merged.
    var updated: [RowSnapshot]
    /// Objects that were set to what they had, which count as updated. No row was written.
    var touched: [RowReference] = []
    var deleted: [RowReference]
  }

  var parts: [Part]

  /// - Parameter touched: objects that were set to what they had, with their stores.
  init(
    _ changeSets: [(store: NSPersistentStore, changes: ChangeSet)],
    touched: [(store: StoreIdentity, reference: RowReference)]
  ) {
    parts = changeSets.map { store, changes in
      Part(
        store: store.identity, inserted: changes.inserted.map(\.reference),
        updated: changes.updated.map(\.row), deleted: changes.deleted.map(\.reference))
    }
    for (store, reference) in touched {
      if let index = parts.firstIndex(where: { $0.store === store }) {
        parts[index].touched.append(reference)
      } else {
        parts.append(Part(store: store, inserted: [], updated: [], touched: [reference], deleted: []))
      }
    }
  }
}
