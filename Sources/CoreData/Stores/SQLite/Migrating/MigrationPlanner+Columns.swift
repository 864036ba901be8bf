/// What the columns of the destination get.
extension MigrationPlanner {
  func planFeeds(of table: TablePlan) throws {
    for entity in table.root.subtree {
      guard let schema = destination.schema.entities[entity], origin[entity] != nil else { continue }
      for column in schema.slots.compactMap({ $0 }) {
        if column.property.kind == .toOne {
          planKey(column, of: schema)
        } else {
          feed(column.name, of: entity, in: table.root.index, try attributeFeed(column, of: schema))
        }
      }
    }
    try planHiddenKeys(in: table)
  }

  private func feed(_ column: String, of entity: Int, in root: Int, _ feed: ColumnFeed) {
    feeds[root, default: [:]][column, default: [:]][entity] = feed
  }

  // Attributes.

  private func attributeFeed(_ column: SlotColumn, of entity: EntitySchema) throws -> ColumnFeed {
    let property = column.property
    let standard = try standardValue(of: column, entity.layout)
    guard let former = former(property, of: entity.layout.index),
      let before = source.schema.entity(at: origin[entity.layout.index]!).slots[former.slot]
    else { return standard.map { ColumnFeed(column: nil, text: $0) } ?? .null }
    var feed = ColumnFeed.keeping(before.name)
    if before.isTagged != column.isTagged {
      feed.text =
        column.isTagged
        ? "\(MigrationFunctions.tagging)(\(ColumnFeed.mark))" : "NSCoreDataStoredData(\(ColumnFeed.mark))"
      feed.condition = "\(ColumnFeed.mark) IS NOT NULL"
    }
    if former.isOptional, !property.isOptional, let standard {
      feed.condition = feed.isPlain ? "\(ColumnFeed.mark) IS NULL" : nil
      feed.text = "IFNULL(\(feed.text), \(standard))"
    }
    return feed
  }

  /// What the model says that a new object has, as its column holds it.
  private func standardValue(of column: SlotColumn, _ layout: EntityLayout) throws -> String? {
    let property = column.property
    if property.description is NSDerivedAttributeDescription { return nil }
    guard let value = layout.defaults.first(where: { $0.slot == property.slot })?.value, !value.isNull else {
      return nil
    }
    var builder = RowBuilder()
    builder.begin(layout)
    if case .object(let object) = value {
      let data = try property.attribute.storedData(ofTransformable: TransformableBox.open(object))
      builder.set(.data(data), property)
    } else {
      builder.set(value, property)
    }
    var binding = Binding(builder.finish(key: 1, version: 1, entity: layout.index), property)
    if column.isTagged, case .blob(let data) = binding { binding = .blob(Data([1]) + data) }
    if case .double(let number) = binding, !number.isFinite {
      return number.isNaN ? nil : number < 0 ? "-9e999" : "9e999"
    }
    return binding.literal
  }

  // Foreign keys.

  private func planKey(_ column: SlotColumn, of entity: EntitySchema) {
    let property = column.property
    let (index, root) = (entity.layout.index, entity.layout.rootIndex)
    let names = [column.name, column.entityName, column.orderName].compactMap { $0 }
    for name in names { feed(name, of: index, in: root, .null) }
    let target = layout(after: property.destination)
    if let former = former(property, of: index), former.kind == .toOne,
      let before = source.schema.entity(at: origin[index]!).slots[former.slot]
    {
      let target = former.destination
      planKey(column, of: entity, column: before.name, order: before.orderName, target: target)
      if let name = column.entityName {
        feed(name, of: index, in: root, entityFeed(before, target, to: property.destination))
      }
      return
    }
    // A new one may be the inverse of one that there was.
    guard let inverse = property.inverse else { return }
    let formers = formerRelationships(inverse, of: inverse.declaringEntity)
    if formers.isEmpty { return }
    if formers.count == 1, column.entityName == nil,
      let key = memberColumn(of: formers[0].property, in: formers[0].entity),
      layout(before: origin[index]!).rootIndex == key.root, sourceHas(key.column, origin[index]!)
    {
      planKey(column, of: entity, column: key.column, order: key.order, target: formers[0].entity)
      return
    }
    let pairs = formers.flatMap {
      linkPairs($0.property, in: $0.entity, property.destination, property.declaringEntity)
    }
    let back = inverse.kind == .toOne ? destination.schema.entity(at: inverse.declaringEntity).slots[inverse.slot] : nil
    look(
      LinkLookup(
        pairs: pairs, column: column.name, entityColumn: column.entityName, orderColumn: column.orderName,
        target: destination.schema.entity(at: target.index).table, numbers: numbers(of: index),
        back: back.map { [$0.name, $0.entityName].compactMap { $0 } } ?? []), root)
    if column.orderName != nil { rank(column.name, column.orderName!, index, root) }
  }

  /// A column that holds the same keys as one of the source's.
  private func planKey(
    _ column: SlotColumn, of entity: EntitySchema, column before: String, order: String?, target: Int
  ) {
    let (index, root) = (entity.layout.index, entity.layout.rootIndex)
    keep(
      key: column.name, order: column.orderName, of: index, in: root, from: before, formerOrder: order, target: target,
      now: column.property.destination)
  }

  private func keep(
    key: String, order: String?, of entity: Int, in root: Int, from before: String, formerOrder: String?, target: Int,
    now: Int
  ) {
    var value = ColumnFeed.keeping(before)
    let offset = offset(layout(before: target).rootIndex, layout(after: now).rootIndex)
    if offset != 0 {
      value.text = MigrationPlanner.adding(offset, to: ColumnFeed.mark)
      value.condition = "\(ColumnFeed.mark) IS NOT NULL"
    }
    feed(key, of: entity, in: root, value)
    let table = tableName(ofSource: layout(before: origin[entity]!).rootIndex)
    let entityColumn = source.schema.entity(at: origin[entity]!).slots.compactMap { $0 }.first { $0.name == before }?
      .entityName
    keyColumns.add(
      .init(table: table, column: before), target: target, leaving: numbersLeaving(target, now),
      companions: [entityColumn, formerOrder].compactMap { $0 }, entityColumn: entityColumn)
    guard let order else { return }
    if let formerOrder {
      feed(order, of: entity, in: root, .keeping(formerOrder))
    } else {
      rank(key, order, entity, root)
    }
  }

  private func rank(_ key: String, _ order: String, _ entity: Int, _ root: Int) {
    if let place = rankings[root]?.firstIndex(where: { $0.order == order }) {
      rankings[root]![place].numbers? += numbers(of: entity) ?? []
    } else {
      rankings[root, default: []].append(LinkRanking(column: key, order: order, numbers: numbers(of: entity)))
    }
  }

  /// One look-up for all entities that share the column.
  private func look(_ lookup: LinkLookup, _ root: Int) {
    if let place = lookups[root]?.firstIndex(where: { $0.column == lookup.column }) {
      lookups[root]![place].numbers? += lookup.numbers ?? []
    } else {
      lookups[root, default: []].append(lookup)
    }
  }

  /// The Z_ENT of an entity's own rows after; nil where it has its table alone.
  private func numbers(of entity: Int) -> [Int]? {
    layout(after: entity).root.hasSubentities ? [number(after: entity)] : nil
  }

  /// The Z_ENT of the rows that a key refers to.
  private func entityFeed(_ before: SlotColumn, _ target: Int, to now: Int) -> ColumnFeed {
    guard let column = before.entityName else {
      guard let heir = successor[target] else { return .null }
      return ColumnFeed(
        column: before.name, text: "CASE WHEN \(ColumnFeed.mark) IS NOT NULL THEN \(number(after: heir)) END",
        isBase: false)
    }
    var feed = ColumnFeed.keeping(column)
    let changes = layout(before: target).subtree.compactMap { entity -> (Int, Int)? in
      guard let heir = successor[entity], layout(after: now).subtree.contains(heir) else { return nil }
      return (number(before: entity), number(after: heir))
    }.filter { $0.0 != $0.1 }
    if changes.isEmpty { return feed }
    feed.text = MigrationPlanner.renumbering(ColumnFeed.mark, changes)
    feed.condition = "\(ColumnFeed.mark) IN (\(MigrationPlanner.list(changes.map(\.0))))"
    return feed
  }

  static func renumbering(_ column: String, _ changes: [(Int, Int)]) -> String {
    "CASE \(column) \(changes.map { "WHEN \($0.0) THEN \($0.1)" }.joined(separator: " ")) ELSE \(column) END"
  }

  // Keys without a property.

  private func planHiddenKeys(in table: TablePlan) throws {
    for owner in destination.schema.entities.compactMap({ $0 }) {
      for property in owner.layout.toMany where property.declaringEntity == owner.layout.index {
        guard case .hiddenKey(table.name, let column, let order) = owner.toMany[property.toManyIndex] else { continue }
        let formers = formerRelationships(property, of: owner.layout.index)
        for entity in layout(after: property.destination).subtree
        where destination.schema.entities[entity] != nil && origin[entity] != nil {
          planHiddenKey(column, order, property, of: owner.layout.index, in: entity, formers)
        }
      }
    }
  }

  private func planHiddenKey(
    _ column: String, _ order: String?, _ property: LayoutProperty, of owner: Int, in entity: Int,
    _ formers: [(entity: Int, property: LayoutProperty)]
  ) {
    let root = layout(after: entity).rootIndex
    for name in [column, order].compactMap({ $0 }) { feed(name, of: entity, in: root, .null) }
    if formers.isEmpty { return }
    if formers.count == 1, let key = memberColumn(of: formers[0].property, in: formers[0].entity),
      layout(before: origin[entity]!).rootIndex == key.root
    {
      if sourceHas(key.column, origin[entity]!) {
        keep(
          key: column, order: order, of: entity, in: root, from: key.column, formerOrder: key.order,
          target: formers[0].entity, now: owner)
      }
      return
    }
    let pairs = formers.flatMap { linkPairs($0.property, in: $0.entity, owner, property.destination) }
    look(
      LinkLookup(
        pairs: pairs, column: column, entityColumn: nil, orderColumn: order,
        target: destination.schema.entity(at: owner).table, numbers: numbers(of: entity), back: []), root)
    if let order { rank(column, order, entity, root) }
  }
}
