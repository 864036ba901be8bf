/// Where a store keeps its entities, for this package's tools, which read the file with SQL of their own. Names are
/// written as SQL takes them.
package struct StoreMap: Sendable {
  package struct Entity: Sendable {
    package let name: String
    /// Z_ENT.
    package let number: Int
    /// Z_ENT of the entity at the top, whose row of Z_PRIMARYKEY says which keys are taken.
    package let root: Int
    package let table: String
    /// The columns of attributes and to-one relationships.
    package let columns: [Column]
    /// The join tables that hold an object's members.
    package let pairs: [Pairs]
  }

  package struct Column: Sendable {
    package let name: String
    /// The column with the Z_ENT of the row that a to-one relationship leads to.
    package let entityColumn: String?
    /// Whether the blob begins with a byte that says whether it is the value or the name of a file.
    package let isTagged: Bool
    /// The entity at the other end of a to-one relationship, if the store has it.
    package let destination: String?
  }

  package struct Pairs: Sendable {
    package let table: String
    /// The column with the object's key.
    package let owner: String
  }

  package let entities: [Entity]
  /// The columns in use by table, both in capitals and without quotes.
  package let columns: [String: Set<String>]

  package func entity(named name: String) -> Entity? { entities.first { $0.name == name } }
}

/// A store outside the module that plans its tables as SQLite stores do.
package protocol TableKeeping: NSPersistentStore {
  /// nil until the store is open.
  var storeSchema: StoreSchema? { get }
}

extension NSPersistentStore {
  /// Where the store keeps its entities; nil for stores without tables.
  package final var tableMap: StoreMap? {
    let schema = (self as? SQLiteStore)?.schema ?? (self as? any TableKeeping)?.storeSchema
    return schema.map(StoreMap.init)
  }
}

extension StoreMap {
  fileprivate init(_ schema: StoreSchema) {
    entities = schema.entities.compactMap { $0 }.map { entity in
      let columns = entity.slots.compactMap { $0 }.map { column in
        let destination = column.property.kind == .toOne ? schema.entities[column.property.destination] : nil
        return Column(
          name: column.name, entityColumn: column.entityName, isTagged: column.isTagged,
          destination: destination?.layout.name)
      }
      return Entity(
        name: entity.layout.name, number: entity.number, root: schema.entity(at: entity.layout.rootIndex).number,
        table: entity.table, columns: columns, pairs: entity.toMany.compactMap(Pairs.init))
    }
    columns = Self.columns(schema)
  }

  private static func columns(_ schema: StoreSchema) -> [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    func add(_ names: [String?], to table: String) {
      columns[plain(table), default: []].formUnion(names.compactMap { $0.map(plain) })
    }
    func plain(_ name: String) -> String {
      guard name.hasPrefix("\"") else { return name.uppercased() }
      return name.dropFirst().dropLast().replacingOccurrences(of: "\"\"", with: "\"").uppercased()
    }
    for entity in schema.entities.compactMap({ $0 }) {
      add(["Z_PK", "Z_ENT", "Z_OPT"], to: entity.table)
      for slot in entity.slots.compactMap({ $0 }) {
        add([slot.name, slot.entityName, slot.orderName], to: entity.table)
      }
      for case .hiddenKey(let table, let column, let order) in entity.toMany {
        add([column, order], to: table)
      }
    }
    for join in schema.joins {
      add([join.first, join.second, join.firstOrder, join.secondOrder], to: join.name)
    }
    return columns
  }
}

extension StoreMap.Pairs {
  /// nil if there is no join table, or if the relationship is its own inverse.
  fileprivate init?(_ storage: ToManyStorage) {
    guard case .join(let side) = storage, !side.table.isSymmetric else { return nil }
    self.init(table: side.table.name, owner: side.owner)
  }
}
