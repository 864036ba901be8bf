/// How a child names an object to its parent: by its key and the store of the key.
struct ParentReference {
  let reference: RowReference
  let store: StoreIdentity?

  init(_ reference: RowReference, _ store: StoreIdentity?) {
    self.reference = reference
    self.store = store
  }
}

/// A row that the parent has, and its store.
struct ParentRow {
  let row: RowSnapshot
  let store: StoreIdentity
}

/// An object of the parent, as values. The row is nil if only the id was asked for.
struct ParentObject {
  let reference: RowReference
  let store: StoreIdentity
  let row: RowSnapshot?
}

/// The permanent ids that objects got since a child asked last.
struct KeyNews {
  typealias Key = (key: Int64, reference: RowReference, store: StoreIdentity)
  /// How many changed keys the context had when it answered.
  let count: Int
  let keys: [Key]
}
