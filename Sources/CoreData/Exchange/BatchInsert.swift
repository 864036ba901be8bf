/// A resolved batch insert: the entity, and its rows, which are made one by one as the store asks for them.
package struct BatchInsert {
  package let layout: EntityLayout
  /// What to do with a row that breaks a uniqueness constraint.
  package let answer: ConstraintAnswer
  /// Whether to return the rows that were written, not only their number.
  package let namesRows: Bool
  /// The next row, with the key that it shall have; nil after the last one.
  package let next: (_ key: Int64) throws -> BatchRow?
}

/// One row of a batch insert.
package struct BatchRow {
  /// The row to insert, with default values; relationships are null.
  package let row: RowSnapshot
  /// The slots that the program has set.
  package let given: SlotMask
}

/// What to do with a new row when another one already has its values of a uniqueness constraint.
package enum ConstraintAnswer {
  /// The whole request fails, and nothing is written.
  case fail
  /// The other row stays as it is; the new one is left out.
  case keep
  /// The other row takes the values that the program has set.
  case merge
  /// The other row takes all attributes, default values and nil included.
  case overwrite
}

/// The rows that a batch insert wrote: new rows, and existing ones that took their values. Each counts once.
package struct BatchInserted {
  package var count = 0
  /// In the order in which they were written; empty if the batch does not want them.
  package var rows: [RowReference] = []

  package init() {}
}

/// Thrown by a batch request that would break a uniqueness constraint. Nothing is written then.
package struct BatchConflict: Error {
  package let store: StoreIdentity
  /// The entity that declares the constraint.
  package let entity: EntityLayout
  package let constraint: [String]
  /// The values in conflict, in the order of `constraint`; empty if they are not known.
  package let values: [Any?]
  /// The row that has the values; nil if it is one of the request's own.
  package var holder: RowReference?
  /// A published row is never written again, so it may travel with the error to any thread.
  package nonisolated(unsafe) var persisted: RowSnapshot?

  package init(
    store: StoreIdentity, entity: EntityLayout, constraint: [String], values: [Any?], holder: RowReference? = nil
  ) {
    self.store = store
    self.entity = entity
    self.constraint = constraint
    self.values = values
    self.holder = holder
  }
}
