/// Identifies a row by its entity and its key.
///
/// Positive keys are given by a store (`Z_PK`). Negative keys belong to objects that were never saved.
package struct RowReference: Hashable, Sendable {
  /// The index of the row's own entity, not of a parent entity, in the model's store order.
  package var entity: Int32
  package var key: Int64

  package init(entity: Int, key: Int64) {
    self.entity = Int32(entity)
    self.key = key
  }
}
