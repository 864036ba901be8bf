/// The rows of the members of a relationship of many owners. Prefetching reads them.
extension SQLiteReader {
  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    let query = try queries.rowQuery(store.layouts[relationship.destination], includesSubentities: true)
    let storage = try store.schema.entity(layout).toMany[relationship.toManyIndex]
    if keys.count <= KeyForm.limit || query.entity.hasUnknownEntities {
      return try memberRows(of: keys.sorted(), storage, query)
    }
    return try memberRows(ofMany: keys.sorted(), storage, query)
  }

  /// Reads them owner by owner.
  private func memberRows(of keys: [Int64], _ storage: ToManyStorage, _ query: RowQuery) throws -> [MemberRow] {
    let files = externalFiles
    let moment = rowCache.moment
    var found: [MemberRow] = []
    try read(isFresh: false) { connection in
      try forEachPortion(of: keys, connection) {
        try connection.statement(query.membersSQL(storage, store.schema, owners: $0))
      } body: {
        found += try query.memberRows($0, files: files)
      }
    }
    var rows = found.map(\.row)
    rowCache.publish(&rows, readAfter: moment)
    for (place, row) in rows.enumerated() where found[place].row !== row {
      found[place] = MemberRow(owner: found[place].owner, row: row)
    }
    return found
  }

  /// Finds the keys of all members first, which takes indexes only, and then reads the rows in the order of their
  /// keys. Owner by owner, the pages of the members' table would be read in no order, and many of them often. The row
  /// of a member with several owners is read once.
  private func memberRows(
    ofMany keys: [Int64], _ storage: ToManyStorage, _ query: RowQuery
  ) throws -> [MemberRow] {
    let moment = rowCache.moment
    var pairs: [(owner: Int64, member: Int64)] = []
    var rows = try read(isFresh: false) { connection in
      try forEachPortion(of: keys, connection) {
        try connection.statement(query.pairsSQL(storage, store.schema, owners: $0))
      } body: {
        while try $0.step() { pairs.append(($0.int(0), $0.int(1))) }
      }
      var members: [Int64] = []
      for member in pairs.map(\.member).sorted() where member != members.last { members.append(member) }
      return try self.rows(ofKeys: members, query: query, connection: connection)
    }
    rowCache.publish(&rows, readAfter: moment)
    var table = KeyTable<RowSnapshot>(minimumCapacity: rows.count)
    for row in rows { table.insert(.passUnretained(row)) }
    // The array keeps the rows alive.
    return withExtendedLifetime(rows) {
      // A pair may name a row that is gone.
      pairs.compactMap { pair in
        table[pair.member].map { MemberRow(owner: pair.owner, row: $0.takeUnretainedValue()) }
      }
    }
  }
}

extension RowQuery {
  /// Selects the members' rows and the owners' keys, ordered by the owners' keys.
  fileprivate func membersSQL(_ storage: ToManyStorage, _ schema: StoreSchema, owners: KeyForm) throws -> String {
    var (select, owner) = try SelectStatement.members(
      columns, of: entity, by: storage, schema: schema, owners: owners.condition)
    select.columns.append(owner)
    select.order.insert(SelectStatement.Order(value: owner), at: 0)
    return select.fragment.sql
  }

  /// Selects the owners' and the members' keys, in the same order, without a look at the members' rows where a table
  /// has the pairs.
  fileprivate func pairsSQL(_ storage: ToManyStorage, _ schema: StoreSchema, owners: KeyForm) throws -> String {
    var (select, owner) = try SelectStatement.members(
      [], of: entity, by: storage, schema: schema, owners: owners.condition)
    var member = SQLExpression.column("t0", "Z_PK")
    if let pairs = select.joins.first, case .join(let side) = storage {
      member = .column("t1", side.member)
      select.table = pairs.table
      select.joins = []
    }
    select.columns = [owner, member]
    select.order.insert(SelectStatement.Order(value: owner), at: 0)
    return select.fragment.sql
  }
}
