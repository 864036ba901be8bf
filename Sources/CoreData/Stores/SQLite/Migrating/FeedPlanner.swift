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
      guard let schema = versions.destination.schema.entities[index], let before = versions.origin[entity] else {
        continue
      }
      for column in schema.slots.compactMap({ $0 }) {
        if column.property.kind == .toOne {
          planKey(column, of: entity, before)
        } else {
          sources.set(column.name, of: entity, try attributeFeed(column, of: entity, before))
        }
      }
    }
    planHiddenKeys(in: table)
  }

  // Attributes.

  private func attributeFeed(
    _ column: SlotColumn, of entity: DestinationEntity, _ before: SourceEntity
  ) throws -> ColumnFeed {
    let property = column.property
    let standard = try standardValue(of: column, versions.layout(entity))
    let groups = keptGroups(around: property, of: entity, before)
    guard let former = versions.former(property, of: entity), let was = versions.schema(before).slots[former.slot]
    else { return newFeed(standard, in: groups) }
    var feed = ColumnFeed.keeping(was.name)
    if was.isTagged != column.isTagged {
      feed.text =
        column.isTagged
        ? "\(MigrationFunctions.tagging)(\(ColumnFeed.mark))" : "NSCoreDataStoredData(\(ColumnFeed.mark))"
      feed.condition = "\(ColumnFeed.mark) IS NOT NULL"
    }
    if former.isOptional, !property.isOptional, let standard {
      feed.condition = feed.isPlain ? "\(ColumnFeed.mark) IS NULL" : nil
      feed.text = "\(versions.dialect.sql.name(of: "IFNULL"))(\(feed.text), \(standard))"
      if let group = groups.deciding { feed.present = group.columns }
    } else if let standard, let outermost = groups.first, outermost.becameMandatory, !outermost.columns.isEmpty {
      // Where the composite had no value, it takes its default value, and that has this element.
      feed.condition = feed.isPlain ? "\(ColumnFeed.mark) IS NULL" : nil
      feed.present = outermost.columns
      feed.absent = standard
    }
    return feed
  }

  /// What the old rows get for a new attribute: its default value. A new element of a composite attribute that was
  /// there before has it only where the composite has a value: no value stays none. In an enumeration a new case's
  /// element has no value, since another case's has.
  private func newFeed(_ standard: String?, in groups: [KeptGroup]) -> ColumnFeed {
    guard let standard else { return .null }
    var feed = ColumnFeed(column: nil, text: standard)
    if groups.contains(where: \.isEnumeration) {
      guard let outermost = groups.first, outermost.becameMandatory, !outermost.columns.isEmpty else { return .null }
      feed.text = "NULL"
      feed.present = outermost.columns
      feed.absent = standard
    } else if let group = groups.deciding {
      if group.columns.isEmpty { return .null }
      feed.present = group.columns
    }
    return feed
  }

  /// The composite attributes around an element that were there before, the outermost one first.
  private func keptGroups(
    around property: LayoutProperty, of entity: DestinationEntity, _ before: SourceEntity
  ) -> [KeptGroup] {
    property.groups.compactMap { group in
      guard let name = versions.formerName(of: group, entity),
        let former = versions.layout(before).property(named: name), former.kind == .composite
      else { return nil }
      let slots = versions.schema(before).slots
      return KeptGroup(
        isOptional: group.isOptional, isEnumeration: group.isEnumeration,
        becameMandatory: former.isOptional && !group.isOptional,
        columns: former.leaves.compactMap { $0.slot < 0 ? nil : slots[$0.slot]?.name })
    }
  }

  /// The default value of the model for a new object, as SQL for the column.
  private func standardValue(of column: SlotColumn, _ layout: EntityLayout) throws -> String? {
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

  private mutating func planKey(_ column: SlotColumn, of entity: DestinationEntity, _ before: SourceEntity) {
    let property = column.property
    for name in column.allNames { sources.set(name, of: entity, .null) }
    let target = DestinationEntity(index: property.destination)
    let key = Key(column: column.name, order: column.orderName)
    if let former = versions.former(property, of: entity), former.kind == .toOne,
      let was = versions.schema(before).slots[former.slot]
    {
      let formerTarget = SourceEntity(index: former.destination)
      keep(
        key, of: entity, before, from: Key(column: was.name, order: was.orderName), target: formerTarget, now: target)
      if let name = column.entityName { sources.set(name, of: entity, entityFeed(was, formerTarget, to: target)) }
      return
    }
    // The relationship is new, but its inverse may have existed.
    guard let inverse = property.inverse else { return }
    let holder = DestinationEntity(index: inverse.declaringEntity)
    let formers = versions.formerRelationships(inverse, of: holder)
    if formers.isEmpty { return }
    if formers.count == 1, column.entityName == nil, let was = versions.memberColumn(of: formers[0]),
      versions.root(of: before) == was.root, versions.has(was.column, before)
    {
      keep(
        key, of: entity, before, from: Key(column: was.column, order: was.order), target: formers[0].entity,
        now: target)
      return
    }
    let back = inverse.kind == .toOne ? versions.schema(holder).slots[inverse.slot] : nil
    look(
      key, of: entity, formers, owner: target, member: DestinationEntity(index: property.declaringEntity),
      entityColumn: column.entityName, back: back.map { [$0.name, $0.entityName].compactMap { $0 } } ?? [])
  }

  /// Plans a column that holds the same keys as one of the source's columns.
  private mutating func keep(
    _ key: Key, of entity: DestinationEntity, _ before: SourceEntity, from was: Key, target: SourceEntity,
    now: DestinationEntity
  ) {
    var value = ColumnFeed.keeping(was.column)
    let offset = moves.offset(versions.root(of: target), versions.root(of: now))
    if offset != 0 {
      value.text = MigrationPlanner.adding(offset, to: ColumnFeed.mark)
      value.condition = "\(ColumnFeed.mark) IS NOT NULL"
    }
    sources.set(key.column, of: entity, value)
    let entityColumn = versions.schema(before).slots.compactMap { $0 }.first { $0.name == was.column }?.entityName
    sources.keys.add(
      .init(table: versions.table(of: versions.root(of: before)), column: was.column),
      .init(
        target: target, leaving: Set(versions.numbersLeaving(target, now)),
        companions: [entityColumn, was.order].compactMap { $0 }, entityColumn: entityColumn))
    guard let order = key.order else { return }
    if let formerOrder = was.order {
      sources.set(order, of: entity, .keeping(formerOrder))
    } else {
      rank(key, of: entity)
    }
  }

  /// Plans a column whose keys are in another place in the source.
  private mutating func look(
    _ key: Key, of entity: DestinationEntity, _ formers: [FormerRelationship], owner: DestinationEntity,
    member: DestinationEntity, entityColumn: String? = nil, back: [String] = []
  ) {
    let reader = LinkReader(versions: versions, moves: moves)
    var pairs: [LinkPairs] = []
    for former in formers { pairs += reader.pairs(former, owner: owner, member: member, keys: &sources.keys) }
    let lookup = LinkLookup(
      pairs: pairs, column: key.column, entityColumn: entityColumn, orderColumn: key.order,
      target: versions.schema(owner).table, numbers: numbers(of: entity), back: back)
    sources.add(lookup, versions.root(of: entity))
    if key.order != nil { rank(key, of: entity) }
  }

  private mutating func rank(_ key: Key, of entity: DestinationEntity) {
    guard let order = key.order else { return }
    let ranking = LinkRanking(column: key.column, order: order, numbers: numbers(of: entity))
    sources.add(ranking, versions.root(of: entity))
  }

  /// The destination's Z_ENT of an entity's own rows; nil if no other entity shares its table.
  private func numbers(of entity: DestinationEntity) -> [Int]? {
    versions.layout(entity).root.hasSubentities ? [versions.number(entity)] : nil
  }

  /// The value for the column with the Z_ENT of the rows that a key refers to.
  private func entityFeed(_ was: SlotColumn, _ target: SourceEntity, to now: DestinationEntity) -> ColumnFeed {
    guard let column = was.entityName else {
      guard let successor = versions.successor[target] else { return .null }
      return ColumnFeed(
        column: was.name,
        text: "CASE WHEN \(ColumnFeed.mark) IS NOT NULL THEN \(versions.number(successor)) END", isBase: false)
    }
    var feed = ColumnFeed.keeping(column)
    let family = versions.subtree(now)
    let changes = versions.subtree(target).compactMap { entity -> (Int, Int)? in
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
        let entity = DestinationEntity(index: owner.layout.index)
        let formers = versions.formerRelationships(property, of: entity)
        for member in versions.subtree(DestinationEntity(index: property.destination))
        where versions.destination.schema.entities[member.index] != nil {
          guard let before = versions.origin[member] else { continue }
          planHiddenKey(
            Key(column: column, order: order), property: property, of: entity, in: member, before: before,
            formers: formers)
        }
      }
    }
  }

  private mutating func planHiddenKey(
    _ key: Key, property: LayoutProperty, of owner: DestinationEntity, in entity: DestinationEntity,
    before: SourceEntity, formers: [FormerRelationship]
  ) {
    for name in [key.column, key.order].compactMap({ $0 }) { sources.set(name, of: entity, .null) }
    if formers.isEmpty { return }
    if formers.count == 1, let was = versions.memberColumn(of: formers[0]), versions.root(of: before) == was.root {
      if versions.has(was.column, before) {
        keep(
          key, of: entity, before, from: Key(column: was.column, order: was.order), target: formers[0].entity,
          now: owner)
      }
      return
    }
    look(key, of: entity, formers, owner: owner, member: DestinationEntity(index: property.destination))
  }
}
