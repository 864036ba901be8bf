/// Which bits of a change's ZCOLUMNS stand for which properties of an entity.
///
/// Attributes and relationships that are not transient, inherited ones included, are numbered in the order of
/// their names; bits are counted from the most significant one of the first byte.
package struct HistoryColumns {
  /// By bit.
  private let properties: [LayoutProperty]
  /// By slot and by the to-many number; -1 for none.
  private let slotBits: [Int]
  private let toManyBits: [Int]

  package init(_ layout: EntityLayout) {
    // A composite attribute has one bit for all of its elements.
    properties = layout.properties.filter { !$0.isTransient && $0.kind != .fetched && $0.composite == nil }
      .sorted(on: \.name)
    var slotBits = [Int](repeating: -1, count: layout.slots.count)
    var toManyBits = [Int](repeating: -1, count: layout.toMany.count)
    for (bit, property) in properties.enumerated() {
      if property.kind == .toMany {
        toManyBits[property.toManyIndex] = bit
      } else {
        for leaf in property.leaves { slotBits[leaf.slot] = bit }
      }
    }
    self.slotBits = slotBits
    self.toManyBits = toManyBits
  }

  /// The properties' names, by bit.
  var names: [String] { properties.map(\.name) }

  /// The bits of the properties that an update changed.
  package func bitmap(_ slots: SlotMask, toMany: ArraySlice<ToManyChange>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: (properties.count + 7) / 8)
    func set(_ bit: Int) { if bit >= 0 { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) } }
    slots.forEach { set(slotBits[$0]) }
    for change in toMany { set(toManyBits[change.number]) }
    return bytes
  }

  /// The attributes whose values deletions preserve, sorted by name. Of a composite attribute these are its elements.
  /// Attributes whose values may be in files are left out.
  package static func preserved(in layout: EntityLayout, _ schema: StoreSchema) -> [SlotColumn] {
    guard let entity = schema.entities[layout.index] else { return [] }
    return entity.slots.compactMap { $0 }
      .filter { column in
        guard column.property.kind != .toOne, !column.isTagged else { return false }
        return (column.property.groups + [column.property]).contains { $0.attribute.preservesValueInHistoryOnDeletion }
      }
      .sorted(on: \.property.name)
  }

  /// How many columns the preserved values need.
  package static func tombstoneCount(_ schema: StoreSchema) -> Int {
    schema.layouts.layouts.map { preserved(in: $0, schema).count }.max() ?? 0
  }

  /// The properties that the bits stand for. nil if a bit stands for none, because the bits are then of another model.
  package func properties(_ bytes: UnsafeRawBufferPointer) -> [LayoutProperty]? {
    var found: [LayoutProperty] = []
    for (place, byte) in bytes.enumerated() where byte != 0 {
      for bit in 0..<8 where byte & (0x80 >> UInt8(bit)) != 0 {
        let number = place * 8 + bit
        guard number < properties.count else { return nil }
        found.append(properties[number])
      }
    }
    return found
  }
}
