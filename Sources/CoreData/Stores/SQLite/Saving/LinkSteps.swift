/// The steps for links that no property of the members holds: pairs in join tables, and key columns without a property.
///
/// Both ends of a many-to-many relationship report a link; it is written once.
package struct LinkSteps {
  package enum Step {
    case keys(String, [Int64])
    case pairs(String, [KeyPair])
    case join(table: String, insert: String, [KeyPair])
  }

  package private(set) var removals: [Step] = []
  package private(set) var additions: [Step] = []

  /// The pairs that one join table gains and loses.
  private struct JoinChanges {
    let table: JoinTable
    var added: [KeyPair] = []
    var removed: [KeyPair] = []
    /// The pairs that the other end of the relationship reports.
    var addedByOther: [KeyPair] = []
    var removedByOther: [KeyPair] = []
  }

  private let texts: LinkTexts

  package init(_ changes: ChangeSet, schema: StoreSchema, dialect: SQLDialect = .sqlite) throws {
    texts = LinkTexts(dialect)
    try addDeletedOwners(changes.deleted, schema)
    guard !changes.links.isEmpty else { return }
    var joins: [JoinChanges] = []
    var positions: [ObjectIdentifier: Int] = [:]
    for link in changes.links {
      switch schema.entity(at: Int(link.owner.entity)).toMany[link.relationship.toManyIndex] {
      case .foreignKey(let table, _, let order):
        // The members' own updates write the key, and their number where they can.
        if let order, let sql = texts.clearNumbers(table, order: order) {
          append(&removals, sql: sql, members: link.removed)
        }
      case .hiddenKey(let table, let column, let order):
        let owner = link.owner.key
        appendPairs(
          &removals, sql: texts.unlink(table, key: column, order: order),
          pairs: link.removed.map { KeyPair($0.key, owner) })
        appendPairs(
          &additions, sql: texts.link(table, key: column), pairs: link.added.map { KeyPair(owner, $0.key) })
      case .join(let side):
        let id = ObjectIdentifier(side.table)
        if positions[id] == nil {
          positions[id] = joins.count
          joins.append(JoinChanges(table: side.table))
        }
        LinkSteps.collect(link, side, into: &joins[positions[id]!])
      case .none:
        throw Failure.externalRelationship(
          .init(
            entity: schema.layouts[Int(link.owner.entity)].name, property: link.relationship.name),
          destination: link.relationship.relationship.destinationName ?? "?")
      }
    }
    for join in joins { append(join) }
  }

  private static func collect(_ link: LinkChange, _ side: JoinSide, into join: inout JoinChanges) {
    let owner = link.owner.key
    func pairs(_ members: [RowReference]) -> [KeyPair] {
      members.map { side.isNaming ? KeyPair(owner, $0.key) : KeyPair($0.key, owner) }
    }
    if side.table.isSymmetric {
      // A link has two rows here. Take both from each end, because the other end may not be in the change set.
      let mirrored = { (pairs: [KeyPair]) in pairs.map { KeyPair($0.second, $0.first) } }
      join.added += pairs(link.added)
      join.removed += pairs(link.removed)
      join.addedByOther += mirrored(pairs(link.added))
      join.removedByOther += mirrored(pairs(link.removed))
    } else if side.isNaming {
      join.added += pairs(link.added)
      join.removed += pairs(link.removed)
    } else {
      join.addedByOther += pairs(link.added)
      join.removedByOther += pairs(link.removed)
    }
  }

  private mutating func append(_ join: JoinChanges) {
    let table = join.table
    let added = LinkSteps.union(join.added, join.addedByOther)
    var removed = LinkSteps.union(join.removed, join.removedByOther)
    // This table accepts the same pair twice, so delete a pair before adding it.
    if !table.keepsPairsOnce { removed = LinkSteps.union(removed, added) }
    appendPairs(&removals, sql: texts.remove(table), pairs: removed)
    if !added.isEmpty { additions.append(.join(table: table.name, insert: texts.add(table), added)) }
  }

  /// Both lists, each pair once.
  private static func union(_ a: [KeyPair], _ b: [KeyPair]) -> [KeyPair] {
    if b.isEmpty { return a }
    var seen = Set<KeyPair>(minimumCapacity: a.count + b.count)
    return (a + b).filter { seen.insert($0).inserted }
  }

  /// Adds the steps that remove references to deleted rows from join tables and key columns.
  private mutating func addDeletedOwners(_ deleted: [RowSnapshot], _ schema: StoreSchema) throws {
    if deleted.isEmpty { return }
    var keys: [Int: [Int64]] = [:]
    for row in deleted where schema.entity(at: row.entity).toMany.contains(where: \.namesOwners) {
      keys[row.entity, default: []].append(row.key)
    }
    for (entity, keys) in keys.sorted(on: \.key) {
      for storage in schema.entity(at: entity).toMany {
        switch storage {
        case .join(let side):
          removals.append(.keys(texts.removeAll(side.table, end: side.owner), keys))
          if side.table.isSymmetric {
            removals.append(.keys(texts.removeAll(side.table, end: side.member), keys))
          }
        case .hiddenKey(let table, let column, let order):
          removals.append(.keys(texts.unlinkAll(table, key: column, order: order), keys))
        case .foreignKey, .none: break
        }
      }
    }
  }

  private func append(_ steps: inout [Step], sql: String, members: [RowReference]) {
    if !members.isEmpty { steps.append(.keys(sql, members.map(\.key))) }
  }

  private func appendPairs(_ steps: inout [Step], sql: String, pairs: [KeyPair]) {
    if !pairs.isEmpty { steps.append(.pairs(sql, pairs)) }
  }
}

extension ToManyStorage {
  /// Whether something other than the members' own properties refers to the owner.
  fileprivate var namesOwners: Bool {
    switch self {
    case .join, .hiddenKey: true
    case .foreignKey, .none: false
    }
  }
}
