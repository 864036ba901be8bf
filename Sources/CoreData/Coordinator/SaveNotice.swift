/// What the coordinator's other contexts get to know about a save: only values. Any thread.
struct SaveNotice: Sendable {
  struct Part: @unchecked Sendable {
    // `@unchecked Sendable`: ids and rows are immutable.
    let store: StoreIdentity
    var inserted: [RowReference]
    var updated: [RowSnapshot]
    var deleted: [RowReference]
  }

  var parts: [Part]

  init(_ changeSets: [(store: NSPersistentStore, changes: ChangeSet)]) {
    parts = changeSets.map { store, changes in
      Part(
        store: store.identity, inserted: changes.inserted.map(\.reference), updated: changes.updated.map(\.row),
        deleted: changes.deleted.map(\.reference))
    }
  }
}
