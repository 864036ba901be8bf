/// One entity in its root's table.
package final class EntitySchema: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let layout: EntityLayout
  /// Z_ENT.
  package let number: Int
  package let table: String
  /// The columns, by slot; nil for transient attributes, and for relationships that leave the configuration.
  package let slots: [SlotColumn?]
  /// The storage of to-many relationships, by `toManyIndex`.
  package let toMany: [ToManyStorage]
  /// Whether other entities share the table.
  package let sharesTable: Bool
  /// Whether the table has rows of entities that the store does not know. If so, every fetch names the entities that it
  /// wants.
  package let hasUnknownEntities: Bool

  package init(
    layout: EntityLayout, number: Int, table: String, slots: [SlotColumn?], toMany: [ToManyStorage],
    sharesTable: Bool, hasUnknownEntities: Bool = false
  ) {
    self.layout = layout
    self.number = number
    self.table = table
    self.slots = slots
    self.toMany = toMany
    self.sharesTable = sharesTable
    self.hasUnknownEntities = hasUnknownEntities
  }
}
