/// Everything one save asks of one store: values only, no managed object.
///
/// Made by the context once its changes are validated; from then to the end of the save no managed object is
/// read (invariant 7; but see `ObjectStore`). Rows of inserted objects already carry their permanent keys,
/// and every reference in a row is to a key of the same store.
struct ChangeSet {
  /// Rows to insert; their version is 1.
  var inserted: [RowSnapshot] = []
  var updated: [RowUpdate] = []
  /// The rows as last read.
  var deleted: [RowSnapshot] = []
  /// To-many changes that no row of the many side holds: join tables, orders, relationships without inverse.
  var links: [LinkChange] = []
  /// Rows that must still have the version they were read with, though they do not change.
  var locked: [RowSnapshot] = []
  /// Which to-many relationships the updates are about, in the order of `updated`: for persistent history.
  var toManyUpdates: [ToManyChange] = []
  /// Keys of inserted rows that the store has named, and takes with the rows.
  var proposedKeys: [ProposedKeys] = []
  /// For persistent history.
  var origin = ChangeOrigin()

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty && locked.isEmpty
  }

  /// Some row that is to be written, for messages and for looking whether it was; nil if there is none.
  var firstRow: RowSnapshot? { inserted.first ?? updated.first?.row ?? deleted.first }
}

/// Keys that a store has named for new rows of an entity hierarchy, and that are free until it takes them.
struct ProposedKeys {
  /// The layout index of the root entity.
  let root: Int
  let first: Int64
  let last: Int64
}

/// One changed row: what was read, what is to be written, which slots differ.
struct RowUpdate {
  /// `row.version` is `base.version + 1`.
  let row: RowSnapshot
  let base: RowSnapshot
  /// May be empty: then only the version grows, since a to-many relationship of the object changed.
  let changed: SlotMask
}

/// That the members of a to-many relationship changed, and which update of the change set says so.
struct ToManyChange {
  let update: Int
  /// The relationship's to-many number.
  let number: Int
}

/// A change of the members of one to-many relationship of one object.
struct LinkChange {
  let owner: RowReference
  /// The owner's side of the relationship.
  let relationship: LayoutProperty
  /// Members that came and went since the last save. A many-to-many link is reported from both sides.
  var added: [RowReference]
  var removed: [RowReference]
  /// For an ordered relationship: all members in their order after the save.
  var order: [RowReference]?
}

/// How a store answered a commit.
enum SaveOutcome {
  /// Everything is written. `rewritten` are rows whose values the store itself changed further.
  case saved(rewritten: [RowSnapshot])
  /// Nothing is written: these rows no longer have the version they were read with.
  case versionConflicts([VersionConflict])
  /// Nothing is written: these new or changed rows break a uniqueness constraint.
  case constraintConflicts([ConstraintConflict])
  /// Nothing is written: another process has taken keys that were named for new rows.
  case staleKeys
}

/// A row that changed between the read and the save.
struct VersionConflict {
  /// What this save was based on.
  let base: RowSnapshot
  /// What the store holds now; nil when the row is gone.
  let persisted: RowSnapshot?
  /// Whether the coordinator knew of the newer row, since another of its contexts holds it.
  var isCached = false
}

/// Rows that would agree in the attributes of a uniqueness constraint once the change set is applied.
struct ConstraintConflict {
  let constraint: [String]
  /// The rows of the change set that would get the values by it, by key: stored ones, then new ones in the order of
  /// insertion.
  let conflicting: [RowReference]
  /// The row that the store already has, and that keeps the values. Nil when only rows of the change set collide.
  let persisted: RowSnapshot?
}
