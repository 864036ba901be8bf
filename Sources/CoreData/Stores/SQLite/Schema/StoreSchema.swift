/// Where the entities of one store live: tables, columns, join tables, under the names that the file has.
///
/// Immutable after `init`; any thread. Names are ready for use in SQL.
final class StoreSchema: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  let layouts: ModelLayouts
  /// By the layout's index; nil for entities that are not in the store's configuration.
  let entities: [EntitySchema?]
  let joins: [JoinTable]
  /// By Z_ENT: the layout's index, or -1.
  private let indexByNumber: [Int: Int]

  init(layouts: ModelLayouts, entities: [EntitySchema?], joins: [JoinTable]) {
    self.layouts = layouts
    self.entities = entities
    self.joins = joins
    indexByNumber = Dictionary(
      entities.compactMap { $0 }.map { ($0.number, $0.layout.index) }, uniquingKeysWith: { first, _ in first })
  }

  /// The layout index of a row's Z_ENT; nil for a number that no entity of the model has.
  func index(ofNumber number: Int) -> Int? { indexByNumber[number] }

  /// The Z_ENTs of entities, of those that the store has.
  func numbers(_ layouts: some Sequence<Int>) -> [Int] { layouts.compactMap { entities[$0]?.number } }

  func entity(_ layout: EntityLayout) throws -> EntitySchema {
    guard let entity = entities[layout.index] else { throw Failure.entityOutsideStore(layout.name) }
    return entity
  }

  func entity(at index: Int) -> EntitySchema {
    guard let entity = entities[index] else {
      preconditionFailure("The entity \(layouts.layouts[index].name) is not in the store's configuration.")
    }
    return entity
  }
}

/// One entity in its root's table.
final class EntitySchema: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  let layout: EntityLayout
  /// Z_ENT.
  let number: Int
  let table: String
  /// By slot; nil for transient attributes, and for relationships that leave the configuration.
  let slots: [SlotColumn?]
  /// By the to-many number.
  let toMany: [ToManyStorage]
  /// Whether other entities share the table.
  let sharesTable: Bool
  /// Whether the table has rows of entities that the store does not know: every fetch then says whose rows it
  /// wants.
  let hasStrangers: Bool

  init(
    layout: EntityLayout, number: Int, table: String, slots: [SlotColumn?], toMany: [ToManyStorage],
    sharesTable: Bool, hasStrangers: Bool = false
  ) {
    self.layout = layout
    self.number = number
    self.table = table
    self.slots = slots
    self.toMany = toMany
    self.sharesTable = sharesTable
    self.hasStrangers = hasStrangers
  }
}

/// The columns of an attribute or a to-one relationship.
struct SlotColumn {
  let property: LayoutProperty
  let name: String
  /// `Z<n>_REL`: holds the Z_ENT of the destination's row.
  var entityName: String?
  /// `Z_FOK_REL`: the row's place in the ordered inverse.
  var orderName: String?
  /// Whether the blob begins with a byte that says whether it is the value or the name of a file.
  var isTagged = false
}

/// How the members of a to-many relationship are found.
enum ToManyStorage {
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
struct JoinSide {
  let table: JoinTable
  /// The column that points to the owner of the relationship.
  let owner: String
  /// The column that points to its members.
  let member: String
  /// The members' order.
  let order: String?
  /// Whether this is the side after which the table is named.
  let isNaming: Bool
}

final class JoinTable: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  let name: String
  /// Points to the naming entity.
  let first: String
  /// Points to the other one.
  let second: String
  /// Order columns: `Z_FOK_` of the first and of the second column.
  let firstOrder: String?
  let secondOrder: String?
  /// Whether the relationship is its own inverse: then each link has two rows.
  let isSymmetric: Bool
  /// Whether the table refuses a pair that it has; those of the oldest files don't.
  let keepsPairsOnce: Bool

  init(
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
  var columns: [String] { [first, second] + [firstOrder, secondOrder].compactMap { $0 } }
}
