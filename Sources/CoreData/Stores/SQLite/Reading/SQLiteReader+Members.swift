/// The members of a relationship of one owner.
extension SQLiteReader {
  func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    let plan = try queries.memberPlan(relationship, of: store.layouts[Int(owner.entity)])
    return try references(plan.text, [owner.key], of: plan.members)
  }

  func members(of relationship: LayoutProperty, owner: RowReference, atMost limit: Int) throws -> [RowReference]? {
    let plan = try queries.memberPlan(relationship, of: store.layouts[Int(owner.entity)])
    let members = try references(plan.limited, [owner.key, Int64(limit) + 1], of: plan.members)
    return members.count > limit ? nil : members
  }

  private func references(
    _ text: StatementText, _ parameters: [Int64], of members: EntitySchema
  ) throws -> [RowReference] {
    try read(isFresh: false) { connection in
      let statement = try connection.statement(text)
      for (index, value) in parameters.enumerated() { statement.bind(value, at: Int32(index + 1)) }
      connection.trace?.willRun(statement, parameters: parameters.map { "(int64)\($0)" })
      defer { statement.reset() }
      return try store.references(statement, of: members)
    }
  }
}

extension SQLiteStore {
  /// The rows of a statement that selects Z_ENT and Z_PK; see `forEachReference`.
  func references(_ statement: Statement, of entity: EntitySchema?) throws -> [RowReference] {
    var references: [RowReference] = []
    try forEachReference(statement, of: entity) { references.append(RowReference(entity: $0, key: $1)) }
    return references
  }

  // Inlined by force, as the count of `faults` asks for; see CONTRIBUTING.md.
  /// Calls `body` with entity and key of each row of a statement that selects Z_ENT and Z_PK. They are of `entity` or
  /// its subentities, or of any entity if that is nil. Z_ENT is not read where the table is the entity's alone.
  @inline(__always)
  func forEachReference(
    _ statement: Statement, of entity: EntitySchema?, _ body: (_ entity: Int, _ key: Int64) -> Void
  ) throws {
    let fixed = entity.map { $0.sharesTable ? -1 : $0.layout.index } ?? -1
    while try statement.step() {
      var index = fixed
      if index < 0 {
        let number = Int(statement.int(0))
        let found = schema.index(ofNumber: number)
        guard let found, entity.map({ $0.layout.subtree.contains(found) }) ?? true else {
          let url = url ?? .storeInMemory
          if let entity { throw entity.misplaced(rowOf: statement, at: url) }
          throw Failure.incompatibleSchema(
            url: url, table: "Z_PRIMARYKEY",
            what: "the row \(statement.int(1)) has Z_ENT \(number), which no entity has")
        }
        index = found
      }
      let key = statement.int(1)
      guard key > 0 else {
        throw Failure.incompatibleSchema(
          url: url ?? .storeInMemory, table: layouts[index].name.uppercased(),
          what: "a row of \(layouts[index].name) is referred to by the Z_PK \(key)")
      }
      body(index, key)
    }
  }
}
