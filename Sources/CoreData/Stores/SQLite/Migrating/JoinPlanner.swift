/// The plan for join tables.
struct JoinMoves {
  var statements = MigrationStatements()
  /// The source's join tables that stay, perhaps under another name.
  var taken: Set<String> = []
  /// The columns that may refer to rows that are removed.
  var keys = KeyColumns()
}

/// Plans join tables. It renames a table if only names and numbers change, and otherwise fills a new one from pairs.
struct JoinPlanner {
  private let versions: MigrationVersions
  private let moves: TableMoves
  private var result = JoinMoves()
  private var names: TemporaryNames

  static func plan(_ versions: MigrationVersions, moves: TableMoves, names: inout TemporaryNames) -> JoinMoves {
    var planner = JoinPlanner(versions: versions, moves: moves, names: names)
    for owner in versions.entities {
      for property in owner.layout.toMany where property.declaringEntity == owner.layout.index {
        guard case .join(let side) = owner.toMany[property.toManyIndex], side.isNaming else { continue }
        planner.plan(side.table, property, of: DestinationEntity(index: owner.layout.index))
      }
    }
    names = planner.names
    return planner.result
  }

  private init(versions: MigrationVersions, moves: TableMoves, names: TemporaryNames) {
    self.versions = versions
    self.moves = moves
    self.names = names
  }

  private mutating func plan(_ join: JoinTable, _ property: LayoutProperty, of entity: DestinationEntity) {
    guard let inverse = property.inverse ?? property.oneSidedInverse else { return }
    let formers = versions.formerRelationships(property, of: entity)
    let inverseEntity = DestinationEntity(index: inverse.declaringEntity)
    let formerInverses =
      join.isSymmetric || property.inverse == nil ? [] : versions.formerRelationships(inverse, of: inverseEntity)
    let member = DestinationEntity(index: property.destination)
    if formers.count <= 1, formerInverses.count <= 1,
      keep(join, of: entity, member: member, former: formers.first, formerInverse: formerInverses.first)
    {
      return
    }
    let reader = LinkReader(versions: versions, moves: moves)
    var pairs: [LinkPairs] = []
    for former in formers { pairs += reader.pairs(former, owner: entity, member: member, keys: &result.keys) }
    for former in formerInverses where !formers.contains(where: { former.isInverse(of: $0) }) {
      let inverseMember = DestinationEntity(index: inverse.destination)
      pairs += reader.pairs(former, owner: inverseEntity, member: inverseMember, keys: &result.keys).map(\.reversed)
    }
    let wereSymmetric = formers.allSatisfy { versions.joinSide(of: $0)?.table.isSymmetric ?? false }
    if join.isSymmetric, !wereSymmetric { pairs += pairs.map(\.reversed) }
    fill(join, from: pairs)
  }

  /// Keeps a join table of the source, if its rows fit. Returns whether they do.
  private mutating func keep(
    _ join: JoinTable, of owner: DestinationEntity, member: DestinationEntity, former: FormerRelationship?,
    formerInverse: FormerRelationship?
  ) -> Bool {
    // The former relationship of the naming side, or else that of the other side.
    guard let known = former ?? formerInverse, let side = versions.joinSide(of: known) else { return false }
    if let former, let formerInverse, !formerInverse.isInverse(of: former) { return false }
    let before = side.table
    guard !result.taken.contains(before.name), before.isSymmetric == join.isSymmetric, before.keepsPairsOnce else {
      return false
    }
    let (first, second) = former == nil ? (side.member, side.owner) : (side.owner, side.member)
    guard first == before.first, second == before.second, join.firstOrder == nil || before.firstOrder != nil,
      join.secondOrder == nil || before.secondOrder != nil,
      versions.existing.tables[before.name]?.allSatisfy({ $0.type == versions.dialect.integer }) ?? false
    else { return false }
    let formerOwner = former?.entity ?? known.destination
    let formerMember = former?.destination ?? known.entity
    guard offset(formerOwner, owner) == 0, offset(formerMember, member) == 0 else { return false }
    result.taken.insert(before.name)
    result.keys.add(
      JoinSide(table: before, owner: first, member: second, order: nil, isNaming: true), owner: formerOwner,
      owners: Set(versions.numbersLeaving(formerOwner, owner)), member: formerMember,
      members: Set(versions.numbersLeaving(formerMember, member)))
    rename(before, to: join)
    return true
  }

  private func offset(_ before: SourceEntity, _ after: DestinationEntity) -> Int64 {
    moves.offset(versions.root(of: before), versions.root(of: after))
  }

  private mutating func rename(_ before: JoinTable, to join: JoinTable) {
    let orders = [(before.firstOrder, join.firstOrder), (before.secondOrder, join.secondOrder)]
    // An older version of the file may have left an order column that belongs to neither side.
    let present = versions.existing.columns(of: before.name) ?? []
    let kept = Set([before.first, before.second] + orders.compactMap { $0.1 == nil ? nil : $0.0 })
    for column in present where !kept.contains(column) { result.statements.drop(column, of: before.name, versions) }
    var columns = [(from: before.first, to: join.first), (from: before.second, to: join.second)]
    columns += orders.compactMap { pair in pair.1.map { (from: pair.0!, to: $0) } }
    for step in MigrationStatements.ordered(columns, &names) {
      result.statements.altering.append(
        .init(
          sql: "ALTER TABLE \(before.name) RENAME COLUMN \(step.from) TO \(step.to)",
          purpose: "naming the column \(step.to)"))
    }
    if before.name == join.name, columns.allSatisfy({ $0.from == $0.to }) {
      result.statements.staying.insert(join.name)
    }
    result.statements.renames.append((before.name, join.name))
  }

  private mutating func fill(_ join: JoinTable, from pairs: [LinkPairs]) {
    let isTaken = versions.facts.names.contains(MigrationPlanner.bare(join.name))
    let name = isTaken ? names.next() : join.name
    func gather(_ sql: String, _ purpose: String) {
      result.statements.gathering.append(.init(sql: sql, purpose: purpose))
    }
    gather(versions.dialect.create(join, named: name), "making the join table \(join.name)")
    if isTaken { result.statements.renames.append((name, join.name)) }
    for pair in pairs {
      func order(_ own: String?, partition: String, by: String) -> String {
        own ?? "1024 + 1024 * ROW_NUMBER() OVER (PARTITION BY \(partition) ORDER BY \(by))"
      }
      var values = [pair.owner, pair.member]
      if join.firstOrder != nil { values.append(order(pair.ownerOrder, partition: pair.member, by: pair.owner)) }
      if join.secondOrder != nil { values.append(order(pair.memberOrder, partition: pair.owner, by: pair.member)) }
      gather(
        versions.dialect.insertOnce(
          "\(name)(\(join.columns.joined(separator: ", ")))",
          "SELECT \(values.joined(separator: ", ")) FROM \(pair.from) ORDER BY 1, 2"),
        "filling the join table \(join.name)")
    }
  }
}
