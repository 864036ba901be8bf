/// Everything that one save asks of one store: only values, no managed objects.
///
/// Made by the context once its changes are validated; from then to the end of the save no managed object is read
/// (invariant 7), except by stores whose authors' methods take objects (`ObjectStore`), and by a child, which hands
/// over transient values too (`ParentSource+Saving`). Rows of inserted objects already carry their permanent keys, and
/// every reference in a row is to a key of the same store.
///
/// The code that makes one fills it in and hands it on; after that it does not change. It is a class because a save of
/// one object hands it on a dozen times, and its lists would be counted each time.
package final class ChangeSet {
  // Unchecked, here and below, as the counts of `update`, `delete` and `write1` ask for; see CONTRIBUTING.md.
  /// Rows to insert; their version is 1.
  @exclusivity(unchecked) package var inserted: [RowSnapshot] = []
  @exclusivity(unchecked) package var updated: [RowUpdate] = []
  /// The rows as last read.
  @exclusivity(unchecked) package var deleted: [RowSnapshot] = []
  /// To-many changes that no row of the many side expresses: join tables, orders, relationships without inverse.
  @exclusivity(unchecked) package var links: [LinkChange] = []
  /// Unchanged rows that must still have the version they were read with.
  @exclusivity(unchecked) package var locked: [RowSnapshot] = []
  /// The to-many relationships that changed, in the order of `updated`, for persistent history.
  @exclusivity(unchecked) package var toManyUpdates: [ToManyChange] = []
  /// Keys of inserted rows that the store has only named. It takes them together with the rows.
  @exclusivity(unchecked) package var proposedKeys: [ProposedKeys] = []
  /// Who makes the changes, for persistent history.
  @exclusivity(unchecked) package var origin = ChangeOrigin()

  package init() {}

  package var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty && locked.isEmpty
  }

  /// One of the rows to write, for messages and to check whether it was written; nil if there is none.
  package var firstRow: RowSnapshot? { inserted.first ?? updated.first?.row ?? deleted.first }
}

/// Keys that a store has named for new rows of an entity hierarchy. They stay free until the store takes them.
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

/// One changed row: as it was read, as it will be written, and the slots that differ.
package struct RowUpdate {
  /// `row.version` is `base.version + 1`.
  package let row: RowSnapshot
  package let base: RowSnapshot
  /// May be empty. Then only the version grows, because a to-many relationship of the object changed.
  package let changed: SlotMask
}

/// A to-many relationship whose members changed, and the update of the change set that it belongs to.
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
  /// Members added and removed since the last save. A many-to-many link is reported from both sides.
  package var added: [RowReference]
  package var removed: [RowReference]
  /// For an ordered relationship whose order was set: all members in their order after the save. Otherwise the members
  /// that stay keep their order, and those in `added` follow them.
  package var order: [RowReference]?
}

/// A store's answer to a commit.
package enum SaveOutcome {
  /// Everything was written. `rewritten` are rows whose values the store itself changed further.
  case saved(rewritten: [RowSnapshot])
  /// Nothing was written, because these rows no longer have the version they were read with.
  case versionConflicts([VersionConflict])
  /// Nothing was written, because these new or changed rows break a uniqueness constraint.
  case constraintConflicts([ConstraintConflict])
  /// Nothing was written, because another process has taken keys that were named for new rows.
  case staleKeys
}

/// A row that changed between the read and the save.
package struct VersionConflict {
  /// The row that this save was based on.
  package let base: RowSnapshot
  /// The row that the store has now; nil if it is gone.
  package let persisted: RowSnapshot?
  /// Whether the coordinator knew the newer row, because another of its contexts has it.
  package var isCached = false

  package init(base: RowSnapshot, persisted: RowSnapshot?, isCached: Bool = false) {
    self.base = base
    self.persisted = persisted
    self.isCached = isCached
  }
}

/// Rows that would have equal values for a uniqueness constraint once the change set is applied.
package struct ConstraintConflict {
  package let constraint: [String]
  /// The keys of the rows that would get the values by this change set: stored rows, then new ones in the order of
  /// insertion.
  package let conflicting: [RowReference]
  /// The stored row that has the values and keeps them. nil if only rows of the change set are in conflict.
  package let persisted: RowSnapshot?

  package init(constraint: [String], conflicting: [RowReference], persisted: RowSnapshot?) {
    self.constraint = constraint
    self.conflicting = conflicting
    self.persisted = persisted
  }
}
