/// Everything one save asks of one store: values only, no managed object.
///
/// Made by the context once its changes are validated; from then to the end of the save no managed object is
/// read (invariant 7; but see `ObjectStore`). Rows of inserted objects already carry their permanent keys,
/// and every reference in a row is to a key of the same store.
package struct ChangeSet {
  /// Rows to insert; their version is 1.
  package var inserted: [RowSnapshot] = []
  package var updated: [RowUpdate] = []
  /// The rows as last read.
  package var deleted: [RowSnapshot] = []
  /// To-many changes that no row of the many side holds: join tables, orders, relationships without inverse.
  package var links: [LinkChange] = []
  /// Rows that must still have the version they were read with, though they do not change.
  package var locked: [RowSnapshot] = []
  /// Which to-many relationships the updates are about, in the order of `updated`: for persistent history.
  package var toManyUpdates: [ToManyChange] = []
  /// Keys of inserted rows that the store has named, and takes with the rows.
  package var proposedKeys: [ProposedKeys] = []
  /// For persistent history.
  package var origin = ChangeOrigin()

  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty && locked.isEmpty
  }

  /// Some row that is to be written, for messages and for looking whether it was; nil if there is none.
  package var firstRow: RowSnapshot? { inserted.first ?? updated.first?.row ?? deleted.first }
}

/// Keys that a store has named for new rows of an entity hierarchy, and that are free until it takes them.
package struct ProposedKeys {
  /// The layout index of the root entity.
  package let root: Int
  package let first: Int64
  package let last: Int64

  package init(root: Int, first: Int64, last: Int64) {
    self.root = root
    self.first = first
    self.last = last
  }
}

/// One changed row: what was read, what is to be written, which slots differ.
package struct RowUpdate {
  /// `row.version` is `base.version + 1`.
  package let row: RowSnapshot
  package let base: RowSnapshot
  /// May be empty: then only the version grows, since a to-many relationship of the object changed.
  package let changed: SlotMask
}

/// That the members of a to-many relationship changed, and which update of the change set says so.
package struct ToManyChange {
  package let update: Int
  /// The relationship's to-many number.
  package let number: Int
}

/// A change of the members of one to-many relationship of one object.
package struct LinkChange {
  package let owner: RowReference
  /// The owner's side of the relationship.
  package let relationship: LayoutProperty
  /// Members that came and went since the last save. A many-to-many link is reported from both sides.
  package var added: [RowReference]
  package var removed: [RowReference]
  /// For an ordered relationship: all members in their order after the save.
  package var order: [RowReference]?
}

/// How a store answered a commit.
package enum SaveOutcome {
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
package struct VersionConflict {
  /// What this save was based on.
  package let base: RowSnapshot
  /// What the store holds now; nil when the row is gone.
  package let persisted: RowSnapshot?
  /// Whether the coordinator knew of the newer row, since another of its contexts holds it.
  package var isCached = false

  package init(base: RowSnapshot, persisted: RowSnapshot?, isCached: Bool = false) {
    self.base = base
    self.persisted = persisted
    self.isCached = isCached
  }
}

/// Rows that would agree in the attributes of a uniqueness constraint once the change set is applied.
package struct ConstraintConflict {
  package let constraint: [String]
  /// The rows of the change set that would get the values by it, by key: stored ones, then new ones in the order of
  /// insertion.
  package let conflicting: [RowReference]
  /// The row that the store already has, and that keeps the values. Nil when only rows of the change set collide.
  package let persisted: RowSnapshot?

  package init(constraint: [String], conflicting: [RowReference], persisted: RowSnapshot?) {
    self.constraint = constraint
    self.conflicting = conflicting
    self.persisted = persisted
  }
}
