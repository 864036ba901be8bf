internal import CSQLite

/// Runs the steps of one save on the connection that writes, and collects what stands in their way.
///
/// A conflict does not end the run: the statement that met it changed nothing, and the rest is tried too, so
/// that all conflicts are known. The caller then undoes the transaction.
struct SaveRun {
  private let connection: Connection
  private let schema: StoreSchema
  private(set) var writer: TaggedWriter
  /// Rows that no longer have the version they were read with, or whose key is taken.
  private(set) var outdated: [RowSnapshot] = []
  private(set) var collisions: Collisions

  init(_ connection: Connection, _ schema: StoreSchema, _ files: ExternalFiles, _ changes: ChangeSet) {
    self.connection = connection
    self.schema = schema
    writer = TaggedWriter(files, schema)
    collisions = Collisions(changes)
  }

  var hasConflicts: Bool { !outdated.isEmpty || !collisions.isEmpty }

  mutating func run(_ steps: [SaveStep]) throws {
    for step in steps {
      switch step {
      case .check(let plan, let rows): try check(plan, rows)
      case .insert(let plan, let rows): try insert(plan, rows)
      case .update(let plan, let updates): try update(plan, updates)
      case .delete(let plan, let rows): try delete(plan, rows)
      case .keys(let text, let keys): try keys.forEach { try runOnce(text, [$0]) }
      case .pairs(let text, let pairs): try pairs.forEach { try runOnce(text, [$0.first, $0.second]) }
      // Members that a conflict kept out have no row to number.
      case .order(let plan, let owner, let members): try order(plan, owner, members)
      }
    }
  }

  private mutating func check(_ plan: RowWritePlan, _ rows: [RowSnapshot]) throws {
    let versioned = try connection.statement(plan.text)
    for row in rows {
      let statement = row.version == 0 ? try connection.statement(plan.unversioned) : versioned
      plan.bindKey(row, statement)
      trace(statement, plan, row)
      let isThere = try statement.step()
      statement.reset()
      if !isThere { outdated.append(row) }
    }
  }

  private mutating func insert(_ plan: RowWritePlan, _ rows: [RowSnapshot]) throws {
    let statement = try connection.statement(plan.text)
    let handle = statement.handle
    for row in rows {
      try plan.bindInsert(row, statement, &writer)
      if connection.trace != nil { trace(statement, plan, row) }
      let code = sqlite3_step(handle)
      if code != SQLITE_DONE { try note(statement.failure(), row, base: row) }
      sqlite3_reset(handle)
    }
  }

  private mutating func update(_ plan: RowWritePlan, _ updates: [RowUpdate]) throws {
    let versioned = try connection.statement(plan.text)
    for update in updates {
      let statement = update.base.version == 0 ? try connection.statement(plan.unversioned) : versioned
      let handle = statement.handle
      if !plan.tagged.isEmpty { try abandonFiles(plan, update.row.key) }
      try plan.bindUpdate(update, statement, &writer)
      if connection.trace != nil { trace(statement, plan, update.row) }
      let code = sqlite3_step(handle)
      if code != SQLITE_DONE {
        try note(statement.failure(), update.row, base: update.base)
      } else if connection.changes == 0 {
        outdated.append(update.base)
      }
      sqlite3_reset(handle)
    }
  }

  private mutating func delete(_ plan: RowWritePlan, _ rows: [RowSnapshot]) throws {
    let versioned = try connection.statement(plan.text)
    for row in rows {
      let statement = row.version == 0 ? try connection.statement(plan.unversioned) : versioned
      if !plan.tagged.isEmpty { try abandonFiles(plan, row.key) }
      plan.bindKey(row, statement)
      trace(statement, plan, row)
      try statement.run()
      if connection.changes == 0 { outdated.append(row) }
    }
  }

  /// A constraint that a row breaks is a conflict; everything else ends the save.
  private mutating func note(_ error: SQLiteError, _ row: RowSnapshot, base: RowSnapshot) throws {
    if error.isKeyTaken {
      // Somebody else put a row at the key that was reserved for this one.
      outdated.append(base)
    } else if error.isNotUnique, try collisions.note(row, schema, connection) {
      return
    } else {
      throw error
    }
  }

  /// The files that the old values of a row are in have no use after the save.
  private mutating func abandonFiles(_ plan: RowWritePlan, _ key: Int64) throws {
    let names = plan.tagged.map(\.name).joined(separator: ", ")
    let statement = try connection.statement("SELECT \(names) FROM \(plan.entity.table) WHERE Z_PK = ?")
    defer { statement.reset() }
    statement.bind(key, at: 1)
    guard try statement.step() else { return }
    for column in 0..<Int32(plan.tagged.count) {
      if let name = ExternalFiles.fileName(inTagged: statement.blobBytes(column)) { writer.abandoned.append(name) }
    }
  }

  private func runOnce(_ text: StatementText, _ values: [Int64]) throws {
    let statement = try connection.statement(text)
    for (index, value) in values.enumerated() { statement.bind(value, at: Int32(index + 1)) }
    connection.trace?.willRun(statement, parameters: values.map { "(int64)\($0)" })
    try statement.run()
  }

  private func order(_ plan: OrderPlan, _ owner: Int64, _ members: [Int64]) throws {
    let select = try connection.statement(plan.select)
    select.bind(owner, at: 1)
    connection.trace?.willRun(select, parameters: ["(int64)\(owner)"])
    var old: [Int64: Int64] = [:]
    while try select.step() { old[select.int(0)] = select.int(1) }
    select.reset()
    let oldKeys = members.map { old[$0] }
    for (index, key) in OrderKeys.assign(oldKeys).enumerated() where key != oldKeys[index] {
      try runOnce(plan.update, plan.updateNamesOwner ? [key, members[index], owner] : [key, members[index]])
    }
  }

  private func trace(_ statement: Statement, _ plan: RowWritePlan, _ row: RowSnapshot) {
    guard let trace = connection.trace else { return }
    trace.willRun(statement, parameters: trace.level >= 3 ? plan.parameterTexts(row) : [])
  }
}
