/// Where the entities of one store live: tables, columns, join tables, under the names that the file has.
///
/// Immutable after `init`; any thread. Names are ready for use in SQL.
package final class StoreSchema: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let layouts: ModelLayouts
  /// By the layout's index; nil for entities that are not in the store's configuration.
  package let entities: [EntitySchema?]
  package let joins: [JoinTable]
  /// By Z_ENT: the layout's index, or -1.
  private let indexByNumber: [Int: Int]

  package init(layouts: ModelLayouts, entities: [EntitySchema?], joins: [JoinTable]) {
    self.layouts = layouts
    self.entities = entities
    self.joins = joins
    indexByNumber = Dictionary(
      entities.compactMap { $0 }.map { ($0.number, $0.layout.index) }, uniquingKeysWith: { first, _ in first })
  }

  /// The layout index of a row's Z_ENT; nil for a number that no entity of the model has.
  package func index(ofNumber number: Int) -> Int? { indexByNumber[number] }

  /// The Z_ENTs of entities, of those that the store has.
  package func numbers(_ layouts: some Sequence<Int>) -> [Int] { layouts.compactMap { entities[$0]?.number } }

  package func entity(_ layout: EntityLayout) throws -> EntitySchema {
    guard let entity = entities[layout.index] else { throw Failure.entityOutsideStore(layout.name) }
    return entity
  }

  package func entity(at index: Int) -> EntitySchema {
    guard let entity = entities[index] else {
      preconditionFailure("The entity \(layouts.layouts[index].name) is not in the store's configuration.")
    }
    return entity
  }
}

/// One entity in its root's table.
package final class EntitySchema: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let layout: EntityLayout
  /// Z_ENT.
  package let number: Int
  package let table: String
  /// By slot; nil for transient attributes, and for relationships that leave the configuration.
  package let slots: [SlotColumn?]
  /// By the to-many number.
  package let toMany: [ToManyStorage]
  /// Whether other entities share the table.
  package let sharesTable: Bool
  /// Whether the table has rows of entities that the store does not know: every fetch then says whose rows it
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

/// The columns of an attribute or a to-one relationship.
package struct SlotColumn {
  package let property: LayoutProperty
  package let name: String
  /// `Z<n>_REL`: holds the Z_ENT of the destination's row.
  package var entityName: String?
  /// `Z_FOK_REL`: the row's place in the ordered inverse.
  package var orderName: String?
  /// Whether the blob begins with a byte that says whether it is the value or the name of a file.
  package var isTagged = false
}

/// How the members of a to-many relationship are found.
package enum ToManyStorage {
  /// The inverse is a to-one: its column in the members' table, and the order's.
  case foreignKey(table: String, column: String, order: String?)
  /// No inverse: a column that belongs to no property of the members.
  case hiddenKey(table: String, column: String, order: String?)
  /// A table of pairs.
  case join(JoinSide)
  /// The destination is not in the store's configuration.
  case none
}

/// A many-to-many relationship as one of its ends sees it.
package struct JoinSide {
  package let table: JoinTable
  /// The column that points to the owner of the relationship.
  package let owner: String
  /// The column that points to its members.
  package let member: String
  /// The members' order.
  package let order: String?
  /// Whether this is the side after which the table is named.
  package let isNaming: Bool
}

package final class JoinTable: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let name: String
  /// Points to the naming entity.
  package let first: String
  /// Points to the other one.
  package let second: String
  /// Order columns: `Z_FOK_` of the first and of the second column.
  package let firstOrder: String?
  package let secondOrder: String?
  /// Whether the relationship is its own inverse: then each link has two rows.
  package let isSymmetric: Bool
  /// Whether the table refuses a pair that it has; those of the oldest files don't.
  package let keepsPairsOnce: Bool

  package init(
    name: String, first: String, second: String, firstOrder: String?, secondOrder: String?, isSymmetric: Bool,
    keepsPairsOnce: Bool
  ) {
    self.name = name
    self.first = first
    self.second = second
    self.firstOrder = firstOrder
    self.secondOrder = secondOrder
    self.isSymmetric = isSymmetric
    self.keepsPairsOnce = keepsPairsOnce
  }

  /// The keys, then the orders.
  package var columns: [String] { [first, second] + [firstOrder, secondOrder].compactMap { $0 } }
}
