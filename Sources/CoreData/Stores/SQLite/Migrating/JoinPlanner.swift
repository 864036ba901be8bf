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
    let relationships = versions.sourceRelationships(of: property, in: entity)
    let inverseEntity = DestinationEntity(index: inverse.declaringEntity)
    let inverses =
      join.isSymmetric || property.inverse == nil ? [] : versions.sourceRelationships(of: inverse, in: inverseEntity)
    let member = DestinationEntity(index: property.destination)
    if relationships.count <= 1, inverses.count <= 1,
      keep(join, of: entity, member: member, relationship: relationships.first, inverse: inverses.first)
    {
      return
    }
    let reader = LinkReader(versions: versions, moves: moves)
    var pairs: [LinkPairs] = []
    for relationship in relationships {
      pairs += reader.pairs(relationship, owner: entity, member: member, keys: &result.keys)
    }
    for relationship in inverses where !relationships.contains(where: { relationship.isInverse(of: $0) }) {
      let inverseMember = DestinationEntity(index: inverse.destination)
      pairs += reader.pairs(relationship, owner: inverseEntity, member: inverseMember, keys: &result.keys)
        .map(\.reversed)
    }
    let wereSymmetric = relationships.allSatisfy { versions.joinSide(of: $0)?.table.isSymmetric ?? false }
    if join.isSymmetric, !wereSymmetric { pairs += pairs.map(\.reversed) }
    fill(join, from: pairs)
  }

  /// Keeps a join table of the source, if its rows fit. Returns whether they do.
  ///
  /// - Parameters:
  ///   - relationship: the source's relationship of the side that names the table.
  ///   - inverse: the source's relationship of the other side.
  private mutating func keep(
    _ join: JoinTable, of owner: DestinationEntity, member: DestinationEntity, relationship: SourceRelationship?,
    inverse: SourceRelationship?
  ) -> Bool {
    guard let known = relationship ?? inverse, let side = versions.joinSide(of: known) else { return false }
    if let relationship, let inverse, !inverse.isInverse(of: relationship) { return false }
    let source = side.table
    guard !result.taken.contains(source.name), source.isSymmetric == join.isSymmetric, source.keepsPairsOnce else {
      return false
    }
    let (first, second) = relationship == nil ? (side.member, side.owner) : (side.owner, side.member)
    guard first == source.first, second == source.second, join.firstOrder == nil || source.firstOrder != nil,
      join.secondOrder == nil || source.secondOrder != nil,
      versions.existing.tables[source.name]?.allSatisfy({ $0.type == versions.dialect.integer }) ?? false
    else { return false }
    let sourceOwner = relationship?.entity ?? known.destination
    let sourceMember = relationship?.destination ?? known.entity
    guard offset(sourceOwner, owner) == 0, offset(sourceMember, member) == 0 else { return false }
    result.taken.insert(source.name)
    result.keys.add(
      JoinSide(table: source, owner: first, member: second, order: nil, isNaming: true), owner: sourceOwner,
      owners: Set(versions.numbersLeaving(sourceOwner, owner)), member: sourceMember,
      members: Set(versions.numbersLeaving(sourceMember, member)))
    rename(source, to: join)
    return true
  }

  private func offset(_ sourceEntity: SourceEntity, _ entity: DestinationEntity) -> Int64 {
    moves.offset(versions.root(of: sourceEntity), versions.root(of: entity))
  }

  private mutating func rename(_ source: JoinTable, to join: JoinTable) {
    let orders = [(source.firstOrder, join.firstOrder), (source.secondOrder, join.secondOrder)]
    // An older version of the file may have left an order column that belongs to neither side.
    let present = versions.existing.columns(of: source.name) ?? []
    let kept = Set([source.first, source.second] + orders.compactMap { $0.1 == nil ? nil : $0.0 })
    for column in present where !kept.contains(column) { result.statements.drop(column, of: source.name, versions) }
    var columns = [(from: source.first, to: join.first), (from: source.second, to: join.second)]
    columns += orders.compactMap { pair in pair.1.map { (from: pair.0!, to: $0) } }
    for step in MigrationStatements.ordered(columns, &names) {
      result.statements.altering.append(
        .init(
          sql: "ALTER TABLE \(source.name) RENAME COLUMN \(step.from) TO \(step.to)",
          purpose: "naming the column \(step.to)"))
    }
    if source.name == join.name, columns.allSatisfy({ $0.from == $0.to }) {
      result.statements.staying.insert(join.name)
    }
    result.statements.renames.append((source.name, join.name))
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
