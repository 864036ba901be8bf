/// The members of a relationship of one owner.
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
