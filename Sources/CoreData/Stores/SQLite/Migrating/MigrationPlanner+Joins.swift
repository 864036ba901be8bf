/// Join tables: renamed where only names and numbers change, else filled from pairs.
extension MigrationPlanner {
  func planJoins() throws {
    for owner in destination.schema.entities.compactMap({ $0 }) {
      for property in owner.layout.toMany where property.declaringEntity == owner.layout.index {
        guard case .join(let side) = owner.toMany[property.toManyIndex], side.isNaming else { continue }
        planJoin(side, property, of: owner.layout.index)
      }
    }
  }

  private func planJoin(_ side: JoinSide, _ property: LayoutProperty, of entity: Int) {
    let join = side.table
    guard let inverse = property.inverse ?? property.oneSidedInverse else { return }
    let formers = formerRelationships(property, of: entity)
    let formerInverses =
      join.isSymmetric || property.inverse == nil ? [] : formerRelationships(inverse, of: inverse.declaringEntity)
    if formers.count <= 1, formerInverses.count <= 1,
      keepJoin(join, property, of: entity, formers.first, formerInverses.first, inverse)
    {
      return
    }
    var pairs = formers.flatMap { linkPairs($0.property, in: $0.entity, entity, property.destination) }
    for former in formerInverses
    where !formers.contains(where: { isInverse(former.property, former.entity, $0.property) }) {
      pairs += linkPairs(former.property, in: former.entity, inverse.declaringEntity, inverse.destination).map(
        \.reversed)
    }
    if join.isSymmetric, !formers.allSatisfy({ isSymmetric($0.property, $0.entity) }) { pairs += pairs.map(\.reversed) }
    fill(join, from: pairs)
  }

  private func isSymmetric(_ property: LayoutProperty, _ entity: Int) -> Bool {
    guard property.kind == .toMany, case .join(let side) = source.schema.entity(at: entity).toMany[property.toManyIndex]
    else { return false }
    return side.table.isSymmetric
  }

  /// Whether one property of the source was the other's inverse.
  private func isInverse(_ property: LayoutProperty, _ entity: Int, _ other: LayoutProperty) -> Bool {
    guard let inverse = other.inverse else { return false }
    return inverse.name == property.name && inverse.declaringEntity == entity
  }

  /// Takes a join table over as it is.
  private func keepJoin(
    _ join: JoinTable, _ property: LayoutProperty, of entity: Int, _ former: (entity: Int, property: LayoutProperty)?,
    _ formerInverse: (entity: Int, property: LayoutProperty)?, _ inverse: LayoutProperty
  ) -> Bool {
    // As the former of the naming side, or of the other one.
    var before: JoinSide?
    var isReversed = false
    if let former {
      before = joinSide(former)
      if let formerInverse, !isInverse(formerInverse.property, formerInverse.entity, former.property) { return false }
    } else if let formerInverse {
      before = joinSide(formerInverse)
      isReversed = true
    }
    guard let before, !takenJoins.contains(before.table.name), before.table.isSymmetric == join.isSymmetric,
      before.table.keepsPairsOnce
    else { return false }
    let (first, second) = isReversed ? (before.member, before.owner) : (before.owner, before.member)
    guard first == before.table.first, second == before.table.second,
      join.firstOrder == nil || before.table.firstOrder != nil,
      join.secondOrder == nil || before.table.secondOrder != nil,
      existing.tables[before.table.name]?.allSatisfy({ $0.type == "INTEGER" }) ?? false
    else { return false }
    let (owners, members) = (layout(after: entity).rootIndex, layout(after: property.destination).rootIndex)
    let (formerOwner, formerMember) = (
      former?.entity ?? formerInverse!.property.destination,
      former?.property.destination ?? formerInverse!.entity
    )
    guard offset(layout(before: formerOwner).rootIndex, owners) == 0,
      offset(layout(before: formerMember).rootIndex, members) == 0
    else { return false }
    takenJoins.insert(before.table.name)
    let side = JoinSide(table: before.table, owner: first, member: second, order: nil, isNaming: true)
    clean(side, formerOwner, entity, formerMember, property.destination)
    rename(before.table, to: join)
    return true
  }

  private func joinSide(_ former: (entity: Int, property: LayoutProperty)) -> JoinSide? {
    guard former.property.kind == .toMany,
      case .join(let side) = source.schema.entity(at: former.entity).toMany[former.property.toManyIndex]
    else { return nil }
    return side
  }

  private func rename(_ before: JoinTable, to join: JoinTable) {
    let orders = [(before.firstOrder, join.firstOrder), (before.secondOrder, join.secondOrder)]
    // An order of neither side may be left from an older version of the file.
    let names = existing.columns(of: before.name) ?? []
    let kept = Set([before.first, before.second] + orders.compactMap { $0.1 == nil ? nil : $0.0 })
    for column in names where !kept.contains(column) { drop(column, of: before.name) }
    var columns = [(from: before.first, to: join.first), (from: before.second, to: join.second)]
    columns += orders.compactMap { pair in pair.1.map { (from: pair.0!, to: $0) } }
    let renamed = columns.filter { $0.from != $0.to }
    for step in MigrationPlanner.ordered(columns, temporary: temporaryName) {
      altering.append(
        .init(
          sql: "ALTER TABLE \(before.name) RENAME COLUMN \(step.from) TO \(step.to)",
          purpose: "naming the column \(step.to)"))
    }
    if before.name == join.name, renamed.isEmpty { staying.insert(join.name) }
    renames.append((before.name, join.name))
  }

  private func fill(_ join: JoinTable, from pairs: [LinkPairs]) {
    let name = facts.names.contains(MigrationPlanner.bare(join.name)) ? temporaryName() : join.name
    gathering.append(.init(sql: SchemaPlan.create(join, named: name), purpose: "making the join table \(join.name)"))
    if name != join.name { renames.append((name, join.name)) }
    if pairs.isEmpty { return }
    let columns = join.columns
    for pair in pairs {
      func order(_ own: String?, _ partition: String, _ by: String) -> String {
        own ?? "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(partition) ORDER BY \(by))"
      }
      var values = [pair.owner, pair.member]
      if join.firstOrder != nil { values.append(order(pair.ownerOrder, pair.member, pair.owner)) }
      if join.secondOrder != nil { values.append(order(pair.memberOrder, pair.owner, pair.member)) }
      gathering.append(
        .init(
          sql: "INSERT OR IGNORE INTO \(name)(\(columns.joined(separator: ", "))) SELECT "
            + "\(values.joined(separator: ", ")) FROM \(pair.from) ORDER BY 1, 2",
          purpose: "filling the join table \(join.name)"))
    }
  }

  static func bare(_ name: String) -> String {
    name.replacingOccurrences(of: "\"", with: "").uppercased()
  }
}
