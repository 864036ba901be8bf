/// A row without its values: which entity, which key.
///
/// A positive key is a store's (`Z_PK`); a negative one belongs to an object that no store has seen.
struct RowReference: Hashable, Sendable {
  /// Index of the row's actual entity in the model's store order.
  var entity: Int32
  var key: Int64

  init(entity: Int, key: Int64) {
    self.entity = Int32(entity)
    self.key = key
  }
}
