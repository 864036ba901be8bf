/// How the source stores its relationships.
extension MigrationPlanner {
  /// The column in the members' table that refers to the owner of a to-many relationship; nil where there is none.
  func memberColumn(of property: LayoutProperty, in entity: Int) -> (root: Int, column: String, order: String?)? {
    guard property.kind == .toMany else { return nil }
    switch source.schema.entity(at: entity).toMany[property.toManyIndex] {
    case .foreignKey(_, let column, let order), .hiddenKey(_, let column, let order):
      return (layout(before: property.destination).rootIndex, column, order)
    case .join, .none: return nil
    }
  }

  /// The columns that rows of an entity of the source use.
  func columnsBefore(of entity: Int) -> Set<String> {
    if let known = columnsOfEntities[entity] { return known }
    var columns: Set<String> = []
    for column in source.schema.entity(at: entity).slots.compactMap({ $0 }) {
      columns.formUnion([column.name, column.entityName, column.orderName].compactMap { $0 })
    }
    for owner in source.schema.entities.compactMap({ $0 }) {
      for property in owner.layout.toMany where property.declaringEntity == owner.layout.index {
        guard case .hiddenKey(_, let column, let order) = owner.toMany[property.toManyIndex],
          layout(before: property.destination).subtree.contains(entity)
        else { continue }
        columns.formUnion([column, order].compactMap { $0 })
      }
    }
    columnsOfEntities[entity] = columns
    return columns
  }

  func sourceHas(_ column: String, _ entity: Int) -> Bool { columnsBefore(of: entity).contains(column) }

  /// A relationship's links, as keys of the destination's rows; what refers to rows that go has been cleared.
  ///
  /// - Parameters:
  ///   - owner: the destination's entity whose rows the owners are.
  ///   - member: the one whose rows the members are.
  func linkPairs(_ property: LayoutProperty, in entity: Int, _ owner: Int, _ member: Int) -> [LinkPairs] {
    let schema = source.schema.entity(at: entity)
    let owners = layout(before: entity)
    let members = layout(before: property.destination)
    func key(_ column: String, _ root: Int, _ now: Int) -> String {
      MigrationPlanner.adding(offset(root, layout(after: now).rootIndex), to: column)
    }
    func holders(_ root: EntityLayout, _ before: Int, _ now: Int) -> String {
      // Rows that hold the key of a relationship that they have no more.
      let leaving = numbersLeaving(before, now)
      return leaving.isEmpty ? "" : " AND Z_ENT NOT IN (\(MigrationPlanner.list(leaving)))"
    }
    if property.kind == .toOne {
      guard let column = schema.slots[property.slot] else { return [] }
      keyColumns.add(
        .init(table: schema.table, column: column.name), target: property.destination,
        leaving: numbersLeaving(property.destination, member),
        companions: [column.entityName, column.orderName].compactMap { $0 }, entityColumn: column.entityName)
      return [
        LinkPairs(
          owner: key("Z_PK", owners.rootIndex, owner), member: key(column.name, members.rootIndex, member),
          ownerOrder: column.orderName,
          from: "\(schema.table) WHERE \(column.name) IS NOT NULL\(holders(owners, entity, owner))")
      ]
    }
    switch schema.toMany[property.toManyIndex] {
    case .none: return []
    case .foreignKey(let table, let column, let order), .hiddenKey(let table, let column, let order):
      keyColumns.add(
        .init(table: table, column: column), target: entity, leaving: numbersLeaving(entity, owner),
        companions: [order].compactMap { $0 })
      return [
        LinkPairs(
          owner: key(column, owners.rootIndex, owner), member: key("Z_PK", members.rootIndex, member),
          memberOrder: order,
          from: "\(table) WHERE \(column) IS NOT NULL\(holders(members, property.destination, member))")
      ]
    case .join(let side):
      clean(side, entity, owner, property.destination, member)
      return [
        LinkPairs(
          owner: key(side.owner, owners.rootIndex, owner), member: key(side.member, members.rootIndex, member),
          memberOrder: side.order, ownerOrder: side.isNaming ? side.table.firstOrder : side.table.secondOrder,
          from: "\(side.table.name) WHERE 1")
      ]
    }
  }

  /// Pairs of a join table of which one row goes.
  func clean(_ side: JoinSide, _ entity: Int, _ owner: Int, _ destination: Int, _ member: Int) {
    keyColumns.add(
      .init(table: side.table.name, column: side.owner), target: entity, leaving: numbersLeaving(entity, owner),
      companions: nil)
    keyColumns.add(
      .init(table: side.table.name, column: side.member), target: destination,
      leaving: numbersLeaving(destination, member), companions: nil)
  }

  /// References to rows that go become null.
  func planCleaning() {
    var steps: [MigrationPlan.Step] = []
    for place in keyColumns.order {
      let use = keyColumns.uses[place]!
      let numbers = MigrationPlanner.list(use.leaving.sorted())
      let table = tableName(ofSource: layout(before: use.target).rootIndex)
      let referring = "\(place.column) IN (SELECT Z_PK FROM \(table) WHERE Z_ENT IN (\(numbers)))"
      let purpose = "clearing what \(place.table).\(place.column) refers to and is removed"
      guard let companions = use.companions else {
        steps.append(.init(sql: "DELETE FROM \(place.table) WHERE \(referring)", purpose: purpose))
        continue
      }
      let columns = ([place.column] + companions).map { "\($0) = NULL" }.joined(separator: ", ")
      let condition = use.entityColumn.map { "\($0) IN (\(numbers))" } ?? referring
      steps.append(.init(sql: "UPDATE \(place.table) SET \(columns) WHERE \(condition)", purpose: purpose))
    }
    clearing = steps + clearing
  }
}
