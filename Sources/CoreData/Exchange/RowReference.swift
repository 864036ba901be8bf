/// A row without its values: which entity, which key.
///
/// A positive key is a store's (`Z_PK`); a negative one belongs to an object that no store has seen.
package struct RowReference: Hashable, Sendable {
  /// Index of the row's actual entity in the model's store order.
  package var entity: Int32
  package var key: Int64

  package init(entity: Int, key: Int64) {
    self.entity = Int32(entity)
    self.key = key
  }
}
