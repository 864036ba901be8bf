/// The tables, columns and join tables of one store's entities, under the names in the file.
///
/// Immutable after `init`, so any thread may use it. Names are ready for use in SQL.
package final class StoreSchema: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let layouts: ModelLayouts
  /// The entities, by layout index; nil for those that are not in the store's configuration.
  package let entities: [EntitySchema?]
  package let joins: [JoinTable]
  /// The layout index of each Z_ENT.
  private let indexByNumber: [Int: Int]

  package init(layouts: ModelLayouts, entities: [EntitySchema?], joins: [JoinTable]) {
    self.layouts = layouts
    self.entities = entities
    self.joins = joins
    indexByNumber = Dictionary(
      entities.compactMap { $0 }.map { ($0.number, $0.layout.index) }, uniquingKeysWith: { first, _ in first })
  }

  /// The layout index of a row's Z_ENT; nil if no entity of the store has that number.
  package func index(ofNumber number: Int) -> Int? { indexByNumber[number] }

  /// The Z_ENTs of those entities that the store has.
  package func numbers(_ layouts: some Sequence<Int>) -> [Int] { layouts.compactMap { entities[$0]?.number } }

  package func entity(_ layout: EntityLayout) throws -> EntitySchema {
    guard let entity = entities[layout.index] else { throw Failure.entityOutsideStore(layout.name) }
    return entity
  }

  package func entity(at index: Int) -> EntitySchema {
    guard let entity = entities[index] else {
      preconditionFailure("The entity \(layouts[index].name) is not in the store's configuration.")
    }
    return entity
  }
}

/// The columns of an attribute or a to-one relationship.
package struct SlotColumn {
  package let property: LayoutProperty
  package let name: String
  /// `Z<n>_REL`: holds the Z_ENT of the destination's row.
  package var entityName: String?
  /// `Z_FOK_REL`: the row's position in the ordered inverse.
  package var orderName: String?
  /// Whether the blob begins with a tag byte: what follows is either the value or the name of a file.
  package var isTagged = false
  /// Whether another framework may have put a tag byte before the archive of a transformable attribute, or the name of
  /// a file in its place. It is read, and not written.
  var mayHaveTag = false
}

/// The place in which a to-many relationship keeps its members.
package enum ToManyStorage {
  /// The inverse is a to-one: its column in the members' table, and the column of the order.
  case foreignKey(table: String, column: String, order: String?)
  /// No inverse: a column that belongs to no property of the members.
  case hiddenKey(table: String, column: String, order: String?)
  /// A table of pairs.
  case join(JoinSide)
  /// The destination is not in the store's configuration.
  case none
}

/// A many-to-many relationship, seen from one of its ends.
package struct JoinSide {
  package let table: JoinTable
  /// The column that points to the owner of the relationship.
  package let owner: String
  /// The column that points to its members.
  package let member: String
  /// The column with the order of the members.
  package let order: String?
  /// Whether the table is named after this side.
  package let isNaming: Bool
}

package final class JoinTable: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let name: String
  /// The column that points to the entity that names the table.
  package let first: String
  /// The column that points to the other entity; `reflexive` if the relationship is its own inverse. Files of earlier
  /// versions have the first column's name with a number there.
  package let second: String
  /// Order columns: `Z_FOK_` of the first and of the second column.
  package let firstOrder: String?
  package let secondOrder: String?
  /// Whether the relationship is its own inverse. If so, each link has two rows.
  package let isSymmetric: Bool
  /// Whether the table refuses a duplicate pair. Tables in the oldest files don't.
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

  /// The second column's name if the relationship is its own inverse.
  package static let reflexive = "REFLEXIVE"

  /// The name of the order column for a key.
  static func orderColumn(of key: String) -> String { "Z_FOK_" + (key.hasPrefix("Z_") ? key.dropFirst(2) : key[...]) }

  /// The keys, then the orders.
  package var columns: [String] { [first, second] + [firstOrder, secondOrder].compactMap { $0 } }
}
