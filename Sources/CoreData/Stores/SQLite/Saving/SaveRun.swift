internal import CSQLite

/// Runs the steps of one save on the connection that writes, and collects the conflicts that they meet.
///
/// A conflict does not end the run. The row that met it changed nothing, and the other steps still run, so that
/// all conflicts are known. The caller then rolls the transaction back.
///
/// SQLite checks unique indexes after each row, but only the end of a save counts. So a row that a unique index refuses
/// is kept out at first: the row that has its values may still get others. When everything else is written, each
/// kept-out update first sets the constraint columns that it changes to null, so that none is in another's way. Then
/// all kept-out rows are written again. A row that is refused this time would be a duplicate at the end of the save
/// too. A save without such rows does no extra work.
struct SaveRun {
  /// A row that a unique index refused.
  private enum KeptOut {
    case inserted(RowWritePlan, RowSnapshot)
    case updated(RowWritePlan, RowUpdate)

    var row: RowSnapshot {
      switch self {
      case .inserted(_, let row): row
      case .updated(_, let update): update.row
      }
    }
  }

  private let connection: Connection
  private let schema: StoreSchema
  private(set) var writer: TaggedWriter
  /// Rows that no longer have the version they were read with.
  private(set) var outdated: [RowSnapshot] = []
  /// The first new row whose key another row already has.
  private(set) var displaced: RowSnapshot?
  private(set) var collisions: Collisions
  private var keptOut: [KeptOut] = []
  private var orderNumbers = OrderNumbers()

  init(_ connection: Connection, schema: StoreSchema, externals: ExternalStorage, changes: ChangeSet) {
    self.connection = connection
    self.schema = schema
    writer = TaggedWriter(externals, schema)
    collisions = Collisions(changes)
  }

  var hasConflicts: Bool { !outdated.isEmpty || !collisions.isEmpty || displaced != nil }

  mutating func run(_ steps: [SaveStep]) throws {
    for step in steps {
      switch step {
      case .check(let plan, let rows): try check(plan, rows)
      case .orderNumbers(let known): orderNumbers = known
      case .findEnd(let plan, let owner, let members):
        orderNumbers.number(members, try numbersAtEnd(plan, owner: owner, count: members.count))
      case .insert(let plan, let rows): try insert(plan, rows)
      case .update(let plan, let updates): try update(plan, updates)
      case .delete(let plan, let rows): try delete(plan, rows)
      // A link refers to rows, so all of them must be in the tables first.
      case .keys(let text, let keys):
        try writeKeptOut()
        try keys.forEach { try runOnce(text, [$0]) }
      case .pairs(let text, let pairs):
        try writeKeptOut()
        try pairs.forEach { try runOnce(text, [$0.first, $0.second]) }
      case .join(let plan, let pairs):
        try writeKeptOut()
        try join(plan, pairs)
      // Members that were kept out have no row to number yet.
      case .append(let plan, let owner, let members):
        try writeKeptOut()
        let numbers = try numbersAtEnd(plan, owner: owner, count: members.count)
        for (member, number) in zip(members, numbers) { try write(number, of: member, owner: owner, plan) }
      case .order(let plan, let owner, let members):
        try writeKeptOut()
        try order(plan, owner: owner, members: members)
      }
    }
    try writeKeptOut()
  }

  private mutating func check(_ plan: RowWritePlan, _ rows: [RowSnapshot]) throws {
    let versioned = try connection.statement(plan.text)
    for row in rows {
      let statement = row.version == 0 ? try connection.statement(plan.unversioned) : versioned
      plan.bindKey(row, statement)
      trace(statement, plan: plan, row: row)
      let isThere = try statement.step()
      statement.reset()
      if !isThere { outdated.append(row) }
    }
  }

  private mutating func insert(_ plan: RowWritePlan, _ rows: ArraySlice<RowSnapshot>) throws {
    if let fed = plan.feed, let feed = try connection.rowFeed(for: rows.count, into: plan.entity.table) {
      return try insert(plan, rows, as: fed, by: feed)
    }
    let statement = try connection.statement(plan.text)
    let handle = statement.handle
    try rows.forEachHeld { row in
      let written = writer.written.count
      if plan.hasOrderNumbers { plan.bindOrderNumbers(of: row, statement, orderNumbers) }
      try plan.bindInsert(row, statement: statement, writer: &writer)
      if connection.trace != nil { trace(statement, plan: plan, row: row) }
      let code = sqlite3_step(handle)
      if code == SQLITE_DONE {
        sqlite3_reset(handle)
      } else {
        try noteViolation(statement.failed(), row: .inserted(plan, row), base: row, written: written)
      }
    }
  }

  /// Writes all rows by one statement. After a row that was refused it runs again, for those behind it.
  private mutating func insert(
    _ plan: RowWritePlan, _ rows: ArraySlice<RowSnapshot>, as fed: RowWritePlan.Feed, by feed: RowFeed
  ) throws {
    let statement = try connection.statement(fed.text)
    var rest = rows
    while let stop = try rest.withUnsafeBufferPointer({ try feed.insert(statement, $0, columns: fed.columns) }) {
      let refused = rest[rest.startIndex + stop.written]
      try noteViolation(
        stop.error, row: .inserted(plan, refused), base: refused, written: writer.written.count)
      rest = rest.dropFirst(stop.written + 1)
    }
  }

  private mutating func update(_ plan: RowWritePlan, _ updates: [RowUpdate]) throws {
    let versioned = try connection.statement(plan.text)
    for update in updates {
      let statement = update.base.version == 0 ? try connection.statement(plan.unversioned) : versioned
      let handle = statement.handle
      if !plan.tagged.isEmpty { try abandonFiles(plan, update.row.key) }
      let written = writer.written.count
      if plan.hasOrderNumbers { plan.bindOrderNumbers(of: update.row, statement, orderNumbers) }
      try plan.bindUpdate(update, statement: statement, writer: &writer)
      if connection.trace != nil { trace(statement, plan: plan, row: update.row) }
      let code = sqlite3_step(handle)
      if code == SQLITE_DONE {
        if connection.changes == 0 { outdated.append(update.base) }
        sqlite3_reset(handle)
      } else {
        try noteViolation(statement.failed(), row: .updated(plan, update), base: update.base, written: written)
      }
    }
  }

  private mutating func delete(_ plan: RowWritePlan, _ rows: [RowSnapshot]) throws {
    let versioned = try connection.statement(plan.text)
    for row in rows {
      let statement = row.version == 0 ? try connection.statement(plan.unversioned) : versioned
      if !plan.tagged.isEmpty { try abandonFiles(plan, row.key) }
      plan.bindKey(row, statement)
      trace(statement, plan: plan, row: row)
      try statement.run()
      if connection.changes == 0 { outdated.append(row) }
    }
  }

  /// Handles a row that was not written. If a unique index refused it, it is kept out and tried again later. If its key
  /// is taken, it is remembered. Any other error ends the save.
  ///
  /// `written`: how many files the save had written before this row.
  private mutating func noteViolation(_ error: SQLiteError, row: KeptOut, base: RowSnapshot, written: Int) throws {
    if error.isKeyTaken {
      if displaced == nil { displaced = base }
    } else if error.isNotUnique {
      writer.removeWritten(after: written)
      keptOut.append(row)
    } else {
      throw error
    }
  }

  /// Writes the kept-out rows again. Those that are refused again are collisions.
  private mutating func writeKeptOut() throws {
    // After a version conflict or a taken key the transaction is rolled back in any case.
    if keptOut.isEmpty || !outdated.isEmpty || displaced != nil { return }
    let rows = keptOut
    keptOut = []
    for case .updated(let plan, let update) in rows { try moveAside(plan, update) }
    var refused: [(row: RowSnapshot, error: SQLiteError)] = []
    for kept in rows { if let error = try writeAgain(kept) { refused.append((kept.row, error)) } }
    for (row, error) in refused {
      // If it breaks no constraint of the model, another program has made the index.
      guard try collisions.note(row, schema: schema, connection: connection) else { throw error }
    }
  }

  /// Sets the constraint columns that the update changes to null, because nulls collide with nothing. The files of the
  /// old values are noted already.
  private func moveAside(_ plan: RowWritePlan, _ update: RowUpdate) throws {
    var names: [String] = []
    for name in schema.layouts[update.row.entity].allConstraints.flatMap(\.names) {
      guard let slot = plan.entity.layout.property(named: name)?.slot, slot >= 0,
        update.changed.contains(slot), let column = plan.entity.slots[slot]?.name, !names.contains(column)
      else { continue }
      names.append(column)
    }
    if names.isEmpty { return }
    let nulls = names.map { "\($0) = NULL" }.joined(separator: ", ")
    let statement = try connection.statement("UPDATE \(plan.entity.table) SET \(nulls) WHERE Z_PK = ?")
    statement.bind(update.row.key, at: 1)
    connection.trace?.willRun(statement, parameters: ["(int64)\(update.row.key)"])
    try statement.run()
  }

  /// Writes a kept-out row again. Returns the error if a unique index refuses it; nil if it is written now.
  private mutating func writeAgain(_ kept: KeptOut) throws -> SQLiteError? {
    let written = writer.written.count
    let statement: Statement
    let plan: RowWritePlan
    switch kept {
    case .inserted(let insert, let row):
      (plan, statement) = (insert, try connection.statement(insert.text))
      try plan.bindInsert(row, statement: statement, writer: &writer)
    case .updated(let change, let update):
      let text = update.base.version == 0 ? change.unversioned : change.text
      (plan, statement) = (change, try connection.statement(text))
      try plan.bindUpdate(update, statement: statement, writer: &writer)
    }
    if plan.hasOrderNumbers { plan.bindOrderNumbers(of: kept.row, statement, orderNumbers) }
    trace(statement, plan: plan, row: kept.row)
    let code = sqlite3_step(statement.handle)
    let error = code == SQLITE_DONE ? nil : statement.failure()
    sqlite3_reset(statement.handle)
    guard let error else { return nil }
    guard error.isNotUnique else { throw error }
    writer.removeWritten(after: written)
    return error
  }

  /// Notes the files of a row's old values as abandoned: no row refers to them after the save.
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

  /// A pair that is there already is replaced, so none is refused.
  private func join(_ plan: JoinPlan, _ pairs: [KeyPair]) throws {
    guard let text = plan.fed, let feed = try connection.rowFeed(for: pairs.count, into: plan.table) else {
      return try pairs.forEach { try runOnce(plan.text, [$0.first, $0.second]) }
    }
    if let stop = try feed.insert(connection.statement(text), pairs) { throw stop.error }
  }

  private func order(_ plan: OrderPlan, owner: Int64, members: [Int64]) throws {
    let old = try storedNumbers(plan, owner: owner)
    let oldKeys = members.map { old[$0] }
    for (index, key) in OrderKeys.assign(oldKeys).enumerated() where key != oldKeys[index] {
      try write(key, of: members[index], owner: owner, plan)
    }
  }

  /// The numbers of members that follow those in the table. If the last number leaves no room, those in the table are
  /// renumbered.
  private func numbersAtEnd(_ plan: OrderPlan, owner: Int64, count: Int) throws -> [Int64] {
    let select = try connection.statement(plan.last)
    select.bind(owner, at: 1)
    connection.trace?.willRun(select, parameters: ["(int64)\(owner)"])
    let last = try select.step() && !select.isNull(0) ? select.int(0) : nil
    select.reset()
    if let numbers = OrderKeys.following(last, count: count) { return numbers }
    let members = OrderKeys.members(inOrderOf: try storedNumbers(plan, owner: owner))
    let numbers = OrderKeys.following(nil, count: members.count + count)!
    for (member, number) in zip(members, numbers) { try write(number, of: member, owner: owner, plan) }
    return Array(numbers[members.count...])
  }

  private func storedNumbers(_ plan: OrderPlan, owner: Int64) throws -> [Int64: Int64] {
    let select = try connection.statement(plan.select)
    select.bind(owner, at: 1)
    connection.trace?.willRun(select, parameters: ["(int64)\(owner)"])
    var numbers: [Int64: Int64] = [:]
    while try select.step() { numbers[select.int(0)] = select.int(1) }
    select.reset()
    return numbers
  }

  private func write(_ number: Int64, of member: Int64, owner: Int64, _ plan: OrderPlan) throws {
    try runOnce(plan.update, plan.updateNamesOwner ? [number, member, owner] : [number, member])
  }

  private func trace(_ statement: Statement, plan: RowWritePlan, row: RowSnapshot) {
    guard let trace = connection.trace else { return }
    trace.willRun(statement, parameters: trace.level >= 3 ? plan.parameterTexts(row, orderNumbers: orderNumbers) : [])
  }
}
