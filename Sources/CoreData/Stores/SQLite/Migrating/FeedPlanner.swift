/// A composite attribute that both versions have.
private struct KeptGroup {
  let isOptional: Bool
  let isEnumeration: Bool
  let becameMandatory: Bool
  /// The source's columns of its elements.
  let columns: [String]
}

extension [KeptGroup] {
  /// The innermost one that may have no value. Where it has none, its elements have none.
  fileprivate var deciding: KeptGroup? { last(where: \.isOptional) }
}

/// Finds the values for the columns of the destination. A column gets a column of the source, an expression over the
/// source's row, or null and a look-up once all rows are in their tables.
struct FeedPlanner {
  private let versions: MigrationVersions
  private let moves: TableMoves
  private var sources = ColumnSources()

  static func plan(_ versions: MigrationVersions, _ moves: TableMoves) throws -> ColumnSources {
    var planner = FeedPlanner(versions: versions, moves: moves)
    for table in versions.destination.tables { try planner.plan(table) }
    return planner.sources
  }

  private init(versions: MigrationVersions, moves: TableMoves) {
    self.versions = versions
    self.moves = moves
  }

  private mutating func plan(_ table: TablePlan) throws {
    for index in table.root.subtree {
      let entity = DestinationEntity(index: index)
      guard let schema = versions.destination.schema.entities[index], let sourceEntity = versions.origin[entity]
      else { continue }
      for column in schema.slots.compactMap({ $0 }) {
        if column.property.kind == .toOne {
          planKey(column, of: entity, from: sourceEntity)
        } else {
          sources.set(column.name, of: entity, try attributeFeed(column, of: entity, from: sourceEntity))
        }
      }
    }
    planHiddenKeys(in: table)
  }

  // Attributes.

  private func attributeFeed(
    _ column: SlotColumn, of entity: DestinationEntity, from sourceEntity: SourceEntity
  ) throws -> ColumnFeed {
    let property = column.property
    let defaultSQL = try defaultSQL(of: column, versions.layout(entity))
    let groups = keptGroups(around: property, of: entity, from: sourceEntity)
    guard let sourceProperty = versions.sourceProperty(of: property, in: entity),
      let sourceColumn = versions.schema(sourceEntity).slots[sourceProperty.slot]
    else { return newFeed(defaultSQL, in: groups) }
    var feed = ColumnFeed.keeping(sourceColumn.name)
    if sourceColumn.isTagged != column.isTagged {
      feed.text =
        column.isTagged
        ? "\(MigrationFunctions.tagging)(\(ColumnFeed.mark))" : "NSCoreDataStoredData(\(ColumnFeed.mark))"
      feed.condition = "\(ColumnFeed.mark) IS NOT NULL"
    }
    if sourceProperty.isOptional, !property.isOptional, let defaultSQL {
      feed.condition = feed.isPlain ? "\(ColumnFeed.mark) IS NULL" : nil
      feed.text = "\(versions.dialect.sql.name(of: "IFNULL"))(\(feed.text), \(defaultSQL))"
      if let group = groups.deciding { feed.requiredColumns = group.columns }
    } else if let defaultSQL, let outermost = groups.first, outermost.becameMandatory, !outermost.columns.isEmpty {
      // Where the composite had no value, it takes its default value, and that has this element.
      feed.condition = feed.isPlain ? "\(ColumnFeed.mark) IS NULL" : nil
      feed.requiredColumns = outermost.columns
      feed.otherwise = defaultSQL
    }
    return feed
  }

  /// What the old rows get for a new attribute: its default value. A new element of a composite attribute that was
  /// there before has it only where the composite has a value: no value stays none. In an enumeration a new case's
  /// element has no value, since another case's has.
  private func newFeed(_ defaultSQL: String?, in groups: [KeptGroup]) -> ColumnFeed {
    guard let defaultSQL else { return .null }
    var feed = ColumnFeed(column: nil, text: defaultSQL)
    if groups.contains(where: \.isEnumeration) {
      guard let outermost = groups.first, outermost.becameMandatory, !outermost.columns.isEmpty else { return .null }
      feed.text = "NULL"
      feed.requiredColumns = outermost.columns
      feed.otherwise = defaultSQL
    } else if let group = groups.deciding {
      if group.columns.isEmpty { return .null }
      feed.requiredColumns = group.columns
    }
    return feed
  }

  /// The composite attributes around an element that were there before, the outermost one first.
  private func keptGroups(
    around property: LayoutProperty, of entity: DestinationEntity, from sourceEntity: SourceEntity
  ) -> [KeptGroup] {
    property.groups.compactMap { group in
      guard let name = versions.sourceName(of: group, in: entity),
        let sourceGroup = versions.layout(sourceEntity).property(named: name), sourceGroup.kind == .composite
      else { return nil }
      let slots = versions.schema(sourceEntity).slots
      return KeptGroup(
        isOptional: group.isOptional, isEnumeration: group.isEnumeration,
        becameMandatory: sourceGroup.isOptional && !group.isOptional,
        columns: sourceGroup.leaves.compactMap { $0.slot < 0 ? nil : slots[$0.slot]?.name })
    }
  }

  /// The default value of the model for a new object, as SQL for the column.
  private func defaultSQL(of column: SlotColumn, _ layout: EntityLayout) throws -> String? {
    let property = column.property
    if property.description is NSDerivedAttributeDescription { return nil }
    guard let value = layout.defaults.first(where: { $0.slot == property.slot })?.value, !value.isNull else {
      return nil
    }
    var builder = RowBuilder()
    builder.beginRow(layout)
    if case .object(let object) = value {
      let data = try property.attribute.storedData(ofTransformable: TransformableBox.open(object))
      builder.set(.data(data), property)
    } else {
      builder.set(value, property)
    }
    var binding = Binding(builder.finishRow(key: 1, version: 1, entity: layout.index), property)
    if column.isTagged, case .blob(let data) = binding { binding = .blob(Data([1]) + data) }
    return versions.dialect.literal(binding, property)
  }

  // Foreign keys.

  /// A column that holds keys, and its order column.
  private struct Key {
    let column: String
    let order: String?
  }

  private mutating func planKey(_ column: SlotColumn, of entity: DestinationEntity, from sourceEntity: SourceEntity) {
    let property = column.property
    for name in column.allNames { sources.set(name, of: entity, .null) }
    let target = DestinationEntity(index: property.destination)
    let key = Key(column: column.name, order: column.orderName)
    if let sourceProperty = versions.sourceProperty(of: property, in: entity), sourceProperty.kind == .toOne,
      let sourceColumn = versions.schema(sourceEntity).slots[sourceProperty.slot]
    {
      let oldTarget = SourceEntity(index: sourceProperty.destination)
      keep(
        key, of: entity, from: Key(column: sourceColumn.name, order: sourceColumn.orderName), in: sourceEntity,
        oldTarget: oldTarget, newTarget: target)
      if let name = column.entityName {
        sources.set(name, of: entity, entityFeed(from: sourceColumn, oldTarget: oldTarget, newTarget: target))
      }
      return
    }
    // The relationship is new, but its inverse may have existed.
    guard let inverse = property.inverse else { return }
    let inverseEntity = DestinationEntity(index: inverse.declaringEntity)
    let sourceInverses = versions.sourceRelationships(of: inverse, in: inverseEntity)
    if sourceInverses.isEmpty { return }
    if sourceInverses.count == 1, column.entityName == nil,
      let sourceKey = versions.memberColumn(of: sourceInverses[0]), versions.root(of: sourceEntity) == sourceKey.root,
      versions.has(sourceKey.column, sourceEntity)
    {
      keep(
        key, of: entity, from: Key(column: sourceKey.column, order: sourceKey.order), in: sourceEntity,
        oldTarget: sourceInverses[0].entity, newTarget: target)
      return
    }
    let inverseColumn = inverse.kind == .toOne ? versions.schema(inverseEntity).slots[inverse.slot] : nil
    planLookup(
      key, of: entity, from: sourceInverses, owner: target,
      member: DestinationEntity(index: property.declaringEntity), entityColumn: column.entityName,
      columnsReferringBack: inverseColumn.map { [$0.name, $0.entityName].compactMap { $0 } } ?? [])
  }

  /// Plans a column of the destination that holds the same keys as one of the source's columns.
  ///
  /// - Parameters:
  ///   - oldTarget: the entity that the source's keys refer to.
  ///   - newTarget: the entity that the destination's keys refer to.
  private mutating func keep(
    _ key: Key, of entity: DestinationEntity, from sourceKey: Key, in sourceEntity: SourceEntity,
    oldTarget: SourceEntity, newTarget: DestinationEntity
  ) {
    var value = ColumnFeed.keeping(sourceKey.column)
    let offset = moves.offset(versions.root(of: oldTarget), versions.root(of: newTarget))
    if offset != 0 {
      value.text = MigrationPlanner.adding(offset, to: ColumnFeed.mark)
      value.condition = "\(ColumnFeed.mark) IS NOT NULL"
    }
    sources.set(key.column, of: entity, value)
    let sourceColumns = versions.schema(sourceEntity).slots.compactMap { $0 }
    let entityColumn = sourceColumns.first { $0.name == sourceKey.column }?.entityName
    sources.keys.add(
      .init(table: versions.table(of: versions.root(of: sourceEntity)), column: sourceKey.column),
      .init(
        target: oldTarget, leaving: Set(versions.numbersLeaving(oldTarget, newTarget)),
        companions: [entityColumn, sourceKey.order].compactMap { $0 }, entityColumn: entityColumn))
    guard let order = key.order else { return }
    if let sourceOrder = sourceKey.order {
      sources.set(order, of: entity, .keeping(sourceOrder))
    } else {
      planNumbering(key, of: entity)
    }
  }

  /// Plans a column of the destination whose keys the source has elsewhere: at the relationship's other end, or in a
  /// join table.
  ///
  /// - Parameter columnsReferringBack: the columns of a one-to-one relationship's other end.
  private mutating func planLookup(
    _ key: Key, of entity: DestinationEntity, from relationships: [SourceRelationship], owner: DestinationEntity,
    member: DestinationEntity, entityColumn: String? = nil, columnsReferringBack: [String] = []
  ) {
    let reader = LinkReader(versions: versions, moves: moves)
    var pairs: [LinkPairs] = []
    for relationship in relationships {
      pairs += reader.pairs(relationship, owner: owner, member: member, keys: &sources.keys)
    }
    let lookup = LinkLookup(
      pairs: pairs, column: key.column, entityColumn: entityColumn, orderColumn: key.order,
      target: versions.schema(owner).table, numbers: numbers(of: entity), columnsReferringBack: columnsReferringBack)
    sources.add(lookup, versions.root(of: entity))
    if key.order != nil { planNumbering(key, of: entity) }
  }

  /// Plans an order column that the source did not have.
  private mutating func planNumbering(_ key: Key, of entity: DestinationEntity) {
    guard let order = key.order else { return }
    let numbering = LinkNumbering(column: key.column, order: order, numbers: numbers(of: entity))
    sources.add(numbering, versions.root(of: entity))
  }

  /// The destination's Z_ENT of an entity's own rows; nil if no other entity shares its table.
  private func numbers(of entity: DestinationEntity) -> [Int]? {
    versions.layout(entity).root.hasSubentities ? [versions.number(entity)] : nil
  }

  /// The value for the column with the Z_ENT of the rows that a key refers to.
  private func entityFeed(
    from sourceColumn: SlotColumn, oldTarget: SourceEntity, newTarget: DestinationEntity
  ) -> ColumnFeed {
    guard let entityColumn = sourceColumn.entityName else {
      guard let successor = versions.successor[oldTarget] else { return .null }
      return ColumnFeed(
        column: sourceColumn.name,
        text: "CASE WHEN \(ColumnFeed.mark) IS NOT NULL THEN \(versions.number(successor)) END",
        mayBecomeColumn: false)
    }
    var feed = ColumnFeed.keeping(entityColumn)
    let family = versions.subtree(newTarget)
    let changes = versions.subtree(oldTarget).compactMap { entity -> (Int, Int)? in
      guard let successor = versions.successor[entity], family.contains(successor) else { return nil }
      return (versions.number(entity), versions.number(successor))
    }.filter { $0.0 != $0.1 }
    if changes.isEmpty { return feed }
    feed.text = MigrationPlanner.renumbering(ColumnFeed.mark, changes)
    feed.condition = "\(ColumnFeed.mark) IN (\(MigrationPlanner.list(changes.map(\.0))))"
    return feed
  }

  // Keys without a property.

  private mutating func planHiddenKeys(in table: TablePlan) {
    for owner in versions.entities {
      for property in owner.layout.toMany where property.declaringEntity == owner.layout.index {
        guard case .hiddenKey(table.name, let column, let order) = owner.toMany[property.toManyIndex] else { continue }
        let ownerEntity = DestinationEntity(index: owner.layout.index)
        let relationships = versions.sourceRelationships(of: property, in: ownerEntity)
        for member in versions.subtree(DestinationEntity(index: property.destination))
        where versions.destination.schema.entities[member.index] != nil {
          guard let sourceMember = versions.origin[member] else { continue }
          planHiddenKey(
            Key(column: column, order: order), of: member, from: sourceMember, property: property, owner: ownerEntity,
            relationships: relationships)
        }
      }
    }
  }

  /// Plans the column of a to-many relationship's members that refers to their owner.
  ///
  /// - Parameter relationships: the source's relationships that became `property`.
  private mutating func planHiddenKey(
    _ key: Key, of entity: DestinationEntity, from sourceEntity: SourceEntity, property: LayoutProperty,
    owner: DestinationEntity, relationships: [SourceRelationship]
  ) {
    for name in [key.column, key.order].compactMap({ $0 }) { sources.set(name, of: entity, .null) }
    if relationships.isEmpty { return }
    if relationships.count == 1, let sourceKey = versions.memberColumn(of: relationships[0]),
      versions.root(of: sourceEntity) == sourceKey.root
    {
      if versions.has(sourceKey.column, sourceEntity) {
        keep(
          key, of: entity, from: Key(column: sourceKey.column, order: sourceKey.order), in: sourceEntity,
          oldTarget: relationships[0].entity, newTarget: owner)
      }
      return
    }
    planLookup(
      key, of: entity, from: relationships, owner: owner, member: DestinationEntity(index: property.destination))
  }
}
