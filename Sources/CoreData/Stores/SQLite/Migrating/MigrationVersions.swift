/// An entity of the source, by its layout index in the source's model. Four types of this kind, instead of plain
/// numbers, keep the code from mixing up source and destination, or entity and root.
struct SourceEntity: Hashable {
  let index: Int
}

/// A root entity of the source, which stands for its table.
struct SourceRoot: Hashable {
  let index: Int
  var entity: SourceEntity { SourceEntity(index: index) }
}

/// An entity of the destination.
struct DestinationEntity: Hashable {
  let index: Int
}

/// A root entity of the destination, which stands for its table.
struct DestinationRoot: Hashable {
  let index: Int
  var entity: DestinationEntity { DestinationEntity(index: index) }
}

/// A relationship of the source, at the entity that declares it.
struct SourceRelationship {
  let entity: SourceEntity
  let property: LayoutProperty

  var destination: SourceEntity { SourceEntity(index: property.destination) }

  /// Whether it was the inverse of another relationship.
  func isInverse(of other: SourceRelationship) -> Bool {
    guard let inverse = other.property.inverse else { return false }
    return inverse.name == property.name && inverse.declaringEntity == entity.index
  }
}

/// The two versions of a model as one file stores them. It knows which entity and property became which, with their
/// names and numbers. All phases of the planner read it, and none changes it.
package struct MigrationVersions {
  let source: SchemaPlan
  let destination: SchemaPlan
  let existing: ExistingSchema
  let facts: MigrationFacts
  /// Whether removed columns and tables are only renamed.
  let defers: Bool
  let dialect: any MigrationDialect

  /// The source's entity of a destination's entity; `successor` is the reverse.
  let origin: [DestinationEntity: SourceEntity]
  let successor: [SourceEntity: DestinationEntity]
  /// The source's name of each kept property and element, by its name in the destination.
  private let sourceNames: [DestinationEntity: [String: String]]
  /// The columns that the rows of an entity use.
  private let columns: [SourceEntity: Set<String>]

  init(
    _ delta: ModelDelta, from source: SchemaPlan, existing: ExistingSchema, facts: MigrationFacts,
    to destination: SchemaPlan, defers: Bool, dialect: any MigrationDialect
  ) {
    self.source = source
    self.destination = destination
    self.existing = existing
    self.facts = facts
    self.defers = defers
    self.dialect = dialect
    var origin: [DestinationEntity: SourceEntity] = [:]
    var successor: [SourceEntity: DestinationEntity] = [:]
    var sourceNames: [DestinationEntity: [String: String]] = [:]
    for pair in delta.pairs {
      guard let after = destination.schema.layouts.layout(of: pair.destination),
        let before = source.schema.layouts.layout(of: pair.source),
        destination.schema.entities[after.index] != nil, source.schema.entities[before.index] != nil
      else { continue }
      let entity = DestinationEntity(index: after.index)
      origin[entity] = SourceEntity(index: before.index)
      successor[SourceEntity(index: before.index)] = entity
      sourceNames[entity] = Dictionary(
        pair.properties.flatMap(\.formerNames).map { ($0.name, $0.former) }, uniquingKeysWith: { first, _ in first })
    }
    self.origin = origin
    self.successor = successor
    self.sourceNames = sourceNames
    columns = MigrationVersions.columns(source.schema)
  }

  private static func columns(_ schema: StoreSchema) -> [SourceEntity: Set<String>] {
    var columns: [SourceEntity: Set<String>] = [:]
    for entity in schema.entities.compactMap({ $0 }) {
      let names = entity.slots.compactMap { $0 }.flatMap(\.allNames)
      columns[SourceEntity(index: entity.layout.index), default: []].formUnion(names)
      for property in entity.layout.toMany where property.declaringEntity == entity.layout.index {
        guard case .hiddenKey(_, let column, let order) = entity.toMany[property.toManyIndex] else { continue }
        for member in schema.layouts[property.destination].subtree {
          columns[SourceEntity(index: member), default: []].formUnion([column, order].compactMap { $0 })
        }
      }
    }
    return columns
  }

  // The source.

  func schema(_ entity: SourceEntity) -> EntitySchema { source.schema.entity(at: entity.index) }
  func layout(_ entity: SourceEntity) -> EntityLayout { source.schema.layouts[entity.index] }
  func root(of entity: SourceEntity) -> SourceRoot { SourceRoot(index: layout(entity).rootIndex) }
  func table(of root: SourceRoot) -> String { schema(root.entity).table }
  /// Its Z_ENT.
  func number(_ entity: SourceEntity) -> Int { schema(entity).number }
  /// The entity and all its subentities.
  func subtree(_ entity: SourceEntity) -> [SourceEntity] { layout(entity).subtree.map(SourceEntity.init) }
  func maximumKey(of root: SourceRoot) -> Int64 { facts.maximumKeys[table(of: root)] ?? 0 }
  /// Whether rows of the entity use a column of their table.
  func has(_ column: String, _ entity: SourceEntity) -> Bool { columns[entity]?.contains(column) ?? false }

  // The destination.

  /// All entities of the destination's store.
  var entities: [EntitySchema] { destination.schema.entities.compactMap { $0 } }

  func schema(_ entity: DestinationEntity) -> EntitySchema { destination.schema.entity(at: entity.index) }
  func layout(_ entity: DestinationEntity) -> EntityLayout { destination.schema.layouts[entity.index] }
  func root(of entity: DestinationEntity) -> DestinationRoot { DestinationRoot(index: layout(entity).rootIndex) }
  /// Its Z_ENT.
  func number(_ entity: DestinationEntity) -> Int { schema(entity).number }
  /// The entity and all its subentities.
  func subtree(_ entity: DestinationEntity) -> [DestinationEntity] {
    layout(entity).subtree.map(DestinationEntity.init)
  }

  // What became of what.

  /// The source's property that became a property of the destination, in the origin of `entity`; nil if there is none
  /// whose values fit.
  func sourceProperty(of property: LayoutProperty, in entity: DestinationEntity) -> LayoutProperty? {
    guard let sourceEntity = origin[entity], let name = sourceNames[entity]?[property.name],
      let found = layout(sourceEntity).property(named: name), !found.isTransient,
      found.isRelationship == property.isRelationship,
      found.isRelationship || (found.slot >= 0 && holdsValues(of: found, property))
    else { return nil }
    return found
  }

  /// The name in the source of a property that is kept.
  func sourceName(of property: LayoutProperty, in entity: DestinationEntity) -> String? {
    sourceNames[entity]?[property.name]
  }

  /// Whether a column of the new type takes the source's values unchanged. SQLite converts an integer to a
  /// floating-point number when it writes it to a column declared as FLOAT.
  private func holdsValues(of sourceProperty: LayoutProperty, _ property: LayoutProperty) -> Bool {
    sourceProperty.kind.column == property.kind.column
      || sourceProperty.attribute.attributeType.widens(to: property.attribute.attributeType)
  }

  /// The source's relationships that became one relationship of the destination. There are several if several entities
  /// had the relationship and their parent has it now.
  func sourceRelationships(of property: LayoutProperty, in entity: DestinationEntity) -> [SourceRelationship] {
    var found: [SourceRelationship] = []
    for member in subtree(entity) {
      guard let sourceProperty = sourceProperty(of: property, in: member), sourceProperty.isRelationship else {
        continue
      }
      let declaring = SourceEntity(index: sourceProperty.declaringEntity)
      if !found.contains(where: { $0.entity == declaring && $0.property.name == sourceProperty.name }) {
        found.append(
          SourceRelationship(
            entity: declaring,
            property: layout(declaring).property(named: sourceProperty.name) ?? sourceProperty))
      }
    }
    return found
  }

  /// The numbers of those entities in the subtree of `sourceEntity` that did not become an entity in the subtree of
  /// `destinationEntity`.
  func numbersLeaving(_ sourceEntity: SourceEntity, _ destinationEntity: DestinationEntity) -> [Int] {
    subtree(sourceEntity).compactMap { entity in
      guard let schema = source.schema.entities[entity.index], !schema.layout.isAbstract else { return nil }
      if let successor = successor[entity], layout(destinationEntity).subtree.contains(successor.index) { return nil }
      return schema.number
    }
  }

  // How relationships were stored.

  func storage(of relationship: SourceRelationship) -> ToManyStorage? {
    relationship.property.kind == .toMany ? schema(relationship.entity).toMany[relationship.property.toManyIndex] : nil
  }

  /// The column in the members' table that refers to the owner of a to-many relationship; nil if there is none.
  func memberColumn(of relationship: SourceRelationship) -> (root: SourceRoot, column: String, order: String?)? {
    switch storage(of: relationship) {
    case .foreignKey(_, let column, let order), .hiddenKey(_, let column, let order):
      return (root(of: relationship.destination), column, order)
    case .join, .some(.none), nil: return nil
    }
  }

  func joinSide(of relationship: SourceRelationship) -> JoinSide? {
    if case .join(let side) = storage(of: relationship) { side } else { nil }
  }
}

extension SlotColumn {
  /// Its name and the names of its companions.
  var allNames: [String] { [name] + companions }

  /// The columns that are null if this one is.
  var companions: [String] { [entityName, orderName].compactMap { $0 } }
}

/// Names for tables and columns that no longer exist when the migration ends.
struct TemporaryNames {
  private let taken: Set<String>
  private var count = 0

  /// - Parameter taken: the names of all tables and indexes, in capitals.
  init(unlike taken: Set<String>) { self.taken = taken }

  mutating func next() -> String {
    while true {
      count += 1
      let name = "Z_MIGRATING_\(count)"
      if !taken.contains(name) { return name }
    }
  }
}
