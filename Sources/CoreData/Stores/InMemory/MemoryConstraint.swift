/// A uniqueness constraint of an entity, and which rows hold which values of it.
///
/// As in SQLite, a row with a nil among the constraint's attributes collides with none.
struct MemoryConstraint {
  /// The values of a row, comparable byte by byte.
  struct Values: Hashable {
    fileprivate var bytes: [UInt8] = []
  }

  let entity: EntityLayout
  let attributes: [String]
  /// By entity of the hierarchy below `entity`: the attributes, where its rows have them.
  private let properties: [Int: [LayoutProperty]]
  private var holders: [Values: RowReference] = [:]

  init(_ attributes: [String], of entity: EntityLayout, _ layouts: ModelLayouts) {
    self.entity = entity
    self.attributes = attributes
    properties = Dictionary(
      uniqueKeysWithValues: entity.subtree.map { index in
        (index, attributes.compactMap { layouts.layouts[index].property(named: $0) })
      })
  }

  /// Nil for a row that the constraint does not concern.
  func values(of row: RowSnapshot) -> Values? {
    guard let properties = properties[row.entity] else { return nil }
    var values = Values()
    for property in properties {
      if property.word < 0 || row.isNull(slot: property.slot) { return nil }
      if property.kind.hasTail {
        let tail = row.tail(word: property.word)
        withUnsafeBytes(of: tail.count) { values.bytes.append(contentsOf: $0) }
        values.bytes.append(contentsOf: tail)
      } else {
        let count = property.kind.words(isPolymorphic: property.isPolymorphic)
        values.bytes.append(
          contentsOf: UnsafeRawBufferPointer(start: row.words + property.word, count: count * 8))
      }
    }
    return values
  }

  /// The row that holds these values.
  func holder(of values: Values) -> RowReference? { holders[values] }

  /// `old` no longer holds its values.
  mutating func release(_ old: RowSnapshot) {
    if let values = values(of: old), holders[values] == old.reference { holders[values] = nil }
  }

  mutating func take(_ new: RowSnapshot) {
    if let values = values(of: new) { holders[values] = new.reference }
  }
}
