/// The members of relationships, of one owner or of many at once.
extension SQLiteReader {
  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    let plan = try queries.memberPlan(relationship, of: store.layouts.layouts[Int(owner.entity)])
    return try references(plan.text, [owner.key], entity: plan.entity)
  }

  func members(of relationship: LayoutProperty, owner: RowReference, atMost limit: Int) throws -> [RowReference]? {
    let plan = try queries.memberPlan(relationship, of: store.layouts.layouts[Int(owner.entity)])
    let members = try references(plan.limited, [owner.key, Int64(limit) + 1], entity: plan.entity)
    return members.count > limit ? nil : members
  }

  private func references(_ text: StatementText, _ parameters: [Int64], entity: Int) throws -> [RowReference] {
    try read(isFresh: false) { connection in
      let statement = try connection.statement(text)
      for (index, value) in parameters.enumerated() { statement.bind(value, at: Int32(index + 1)) }
      connection.trace?.willRun(statement, parameters: parameters.map { "(int64)\($0)" })
      defer { statement.reset() }
      return try store.references(statement, entity: entity)
    }
  }

  /// Runs one statement for every 512 owners.
  func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    let query = try queries.rowQuery(
      store.layouts.layouts[relationship.destination], includesSubentities: true)
    let storage = try store.schema.entity(layout).toMany[relationship.toManyIndex]
    let files = externalFiles
    var found = try read(isFresh: false) { connection -> [MemberRow] in
      var found: [MemberRow] = []
      var rest = keys.sorted()[...]
      while !rest.isEmpty {
        let size = QueryPlans.keyCounts.first { $0 >= rest.count } ?? QueryPlans.keyCounts.last!
        let portion = rest.prefix(size)
        rest = rest.dropFirst(size)
        let statement = try connection.statement(try query.membersSQL(storage, store.schema, ownerCount: size))
        defer { statement.reset() }
        for place in 0..<size {
          if place < portion.count {
            statement.bind(portion[portion.startIndex + place], at: Int32(place + 1))
          } else {
            statement.bindNull(at: Int32(place + 1))
          }
        }
        connection.trace?.willRun(statement, parameters: portion.map { "(int64)\($0)" })
        found += try query.memberRows(statement, files: files)
      }
      return found
    }
    var rows = found.map(\.row)
    rowCache.publish(&rows)
    for (place, row) in rows.enumerated() where found[place].row !== row {
      found[place] = MemberRow(owner: found[place].owner, row: row)
    }
    return found
  }
}

extension SQLiteStore {
  /// The rows of a statement that selects Z_ENT and Z_PK. `entity` is the layout index of all rows; if it is -1, Z_ENT
  /// tells.
  func references(_ statement: Statement, entity: Int) throws -> [RowReference] {
    var references: [RowReference] = []
    while try statement.step() {
      var index = entity
      if index < 0 {
        let number = Int(statement.int(0))
        guard let found = schema.index(ofNumber: number) else {
          throw Failure.incompatibleSchema(
            url: url ?? URL(fileURLWithPath: "/dev/null"), table: "Z_PRIMARYKEY",
            what: "the row \(statement.int(1)) has Z_ENT \(number), which no entity has")
        }
        index = found
      }
      let key = statement.int(1)
      guard key > 0 else {
        throw Failure.incompatibleSchema(
          url: url ?? URL(fileURLWithPath: "/dev/null"), table: layouts.layouts[index].name.uppercased(),
          what: "a row of \(layouts.layouts[index].name) is referred to by the Z_PK \(key)")
      }
      references.append(RowReference(entity: index, key: key))
    }
    return references
  }
}

extension RowQuery {
  /// Selects the members' rows and the owners' keys, ordered by the owners' keys.
  fileprivate func membersSQL(_ storage: ToManyStorage, _ schema: StoreSchema, ownerCount: Int) throws -> String {
    var (select, owner) = try SelectStatement.members(columns, of: entity, by: storage, schema: schema) {
      $0.isInParameters(ownerCount)
    }
    select.columns.append(owner)
    select.order.insert(SelectStatement.Order(value: owner), at: 0)
    return select.fragment.sql
  }
}
