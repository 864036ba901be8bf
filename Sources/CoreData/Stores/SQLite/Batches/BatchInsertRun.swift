internal import CSQLite

/// Inserts the rows of one batch, one after the other or a portion at a time, in the transaction of a run.
///
/// No row is kept for long. Only two things grow with the batch: the references of its rows, if the request wants them,
/// and the notes about older rows that it has overwritten.
struct BatchInsertRun {
  private let run: BatchRun
  private var plan: BatchInsertPlan
  private let batch: BatchInsert
  private let store: StoreIdentity
  private let notes: TriggerNotes?
  private let firstKey: Int64
  private(set) var lastKey: Int64
  private(set) var result = BatchInserted()
  /// The older rows that the batch has overwritten, by key, and their overwritten slots.
  private var overwritten: [Int64: (row: RowReference, slots: SlotMask)] = [:]
  private var noteLimit = 4096

  init(_ run: BatchRun, plan: BatchInsertPlan, batch: BatchInsert, store: StoreIdentity, after key: Int64) {
    self.run = run
    self.plan = plan
    self.batch = batch
    self.store = store
    notes = run.connection.attachment
    firstKey = key + 1
    lastKey = key
    run.inserted = RowReference(entity: batch.layout.index, key: firstKey)
  }

  /// Records the new rows, and the older ones that were overwritten.
  func record(in recorder: HistoryRecorder) throws {
    if lastKey >= firstKey {
      for key in firstKey...lastKey { try recorder.insert(RowReference(entity: batch.layout.index, key: key)) }
    }
    for (_, change) in overwritten.sorted(on: \.key) { try recorder.update(change.row, change.slots) }
  }

  mutating func insertAll() throws {
    if plan.constraints.isEmpty, let fed = plan.insert.feed,
      let feed = try run.connection.rowFeed(for: BatchInsertRun.portion, into: plan.entity.table)
    {
      return try insertAll(fed, by: feed)
    }
    let statement = try run.connection.statement(plan.insert.text)
    while let new = try batch.next(lastKey + 1) {
      let written = run.writer.written.count
      try plan.insert.bindInsert(new.row, statement: statement, writer: &run.writer)
      if run.connection.trace != nil { trace(statement, plan: plan.insert, row: new.row) }
      let code = sqlite3_step(statement.handle)
      // The statement refers to the row's bytes until it is reset.
      let error = withExtendedLifetime(new.row) { () -> SQLiteError? in
        let error = code == SQLITE_DONE ? nil : statement.failure()
        statement.reset()
        return error
      }
      if let error {
        run.writer.removeWritten(after: written)
        try settleViolation(error, new)
      } else {
        lastKey += 1
        noteWrittenRow(RowReference(entity: batch.layout.index, key: lastKey))
      }
      if let notes, notes.rows.count > noteLimit { forgetNewRows(notes) }
    }
  }

  /// How many rows a statement takes, where there is nothing to settle between them. Long ones are fewer.
  private static let portion = 32
  private static let portionBytes = 1 << 20

  /// Inserts the rows portion by portion. A row that is refused ends the batch.
  private mutating func insertAll(_ fed: RowWritePlan.Feed, by feed: RowFeed) throws {
    let statement = try run.connection.statement(fed.text)
    var rows: [RowSnapshot] = []
    rows.reserveCapacity(BatchInsertRun.portion)
    var isComplete = false
    repeat {
      rows.removeAll(keepingCapacity: true)
      var size = 0
      while rows.count < BatchInsertRun.portion, size < BatchInsertRun.portionBytes {
        guard let new = try batch.next(lastKey + Int64(rows.count) + 1) else {
          isComplete = true
          break
        }
        rows.append(new.row)
        size += new.row.byteCount
      }
      if let stop = try rows.withUnsafeBufferPointer({ try feed.insert(statement, $0, columns: fed.columns) }) {
        throw stop.error
      }
      for _ in rows {
        lastKey += 1
        noteWrittenRow(RowReference(entity: batch.layout.index, key: lastKey))
      }
    } while !isComplete
  }

  private mutating func noteWrittenRow(_ row: RowReference) {
    result.count += 1
    if batch.namesRows { result.rows.append(row) }
  }

  /// Forgets what triggers did to new rows: no one has read these rows, so no copy of them is out of date.
  private mutating func forgetNewRows(_ notes: TriggerNotes) {
    notes.rows.removeAll { note in
      note.key >= firstKey
        && plan.schema.index(ofNumber: note.number).map { plan.schema.layouts[$0].rootIndex }
          == batch.layout.rootIndex
    }
    noteLimit = max(noteLimit, notes.rows.count * 2)
  }

  /// Does what the request says about a new row whose values of a constraint another row already has.
  private mutating func settleViolation(_ error: SQLiteError, _ new: BatchRow) throws {
    guard error.isNotUnique, let constraint = BatchConstraint.broken(by: error, plan.constraints) else { throw error }
    switch batch.answer {
    case .fail: throw try conflict(constraint, new)
    case .keep: break
    case .merge: try overwrite(new, slots: new.given, constraint: constraint, error: error)
    case .overwrite: try overwrite(new, slots: plan.attributes, constraint: constraint, error: error)
    }
  }

  private func conflict(_ constraint: BatchConstraint, _ new: BatchRow) throws -> BatchConflict {
    let holder = try holder(constraint, new.row).flatMap { $0.key < firstKey ? $0 : nil }
    let values = constraint.columns.map { new.row.value($0.property).boxed(for: $0.property) }
    return BatchConflict(
      store: store, entity: constraint.declaring, constraint: constraint.names, values: values, holder: holder)
  }

  private func holder(_ constraint: BatchConstraint, _ row: RowSnapshot) throws -> RowReference? {
    let statement = try run.connection.statement(constraint.holder)
    defer { statement.reset() }
    let bindings = constraint.columns.map { Binding(row, $0.property) }
    for (index, binding) in bindings.enumerated() { binding.bind(to: statement, at: Int32(index + 1)) }
    if let trace = run.connection.trace { trace.willRun(statement, parameters: bindings.map(\.text)) }
    guard try statement.step(), let entity = plan.schema.index(ofNumber: Int(statement.int(0))),
      plan.schema.layouts[entity].rootIndex == plan.schema.layouts[row.entity].rootIndex
    else { return nil }
    return RowReference(entity: entity, key: statement.int(1))
  }

  private mutating func overwrite(
    _ new: BatchRow, slots: SlotMask, constraint: BatchConstraint, error: SQLiteError
  ) throws {
    guard let holder = try holder(constraint, new.row) else { throw error }
    let overwrite = plan.overwrite(slots, in: plan.schema.layouts[Int(holder.entity)])
    try run.abandonFiles(overwrite, holder.key)
    let statement = try run.connection.statement(overwrite.text)
    try overwrite.bindOverwrite(new.row, of: holder.key, statement: statement, writer: &run.writer)
    if run.connection.trace != nil { trace(statement, plan: overwrite, row: new.row) }
    do {
      try withExtendedLifetime(new.row) { try statement.run() }
    } catch let error as SQLiteError where error.isNotUnique {
      // The new row has the values of one row in one constraint, and those of a second row in another.
      guard let next = BatchConstraint.broken(by: error, plan.constraints) else { throw error }
      throw try conflict(next, new)
    }
    if holder.key < firstKey {
      if overwritten[holder.key] == nil {
        run.changed.append(holder)
        noteWrittenRow(holder)
      }
      noteSlots(slots, of: holder)
    }
  }

  /// Notes slots of the new row's entity as overwritten, under the numbers that the holder's entity gives them.
  private mutating func noteSlots(_ slots: SlotMask, of holder: RowReference) {
    let layout = plan.schema.layouts[Int(holder.entity)]
    var known = overwritten[holder.key]?.slots ?? SlotMask()
    slots.forEach { slot in
      if let property = layout.property(named: batch.layout.slots[slot].name), property.slot >= 0 {
        known.insert(property.slot)
      }
    }
    overwritten[holder.key] = (holder, known)
  }

  private func trace(_ statement: Statement, plan: RowWritePlan, row: RowSnapshot) {
    guard let trace = run.connection.trace else { return }
    trace.willRun(statement, parameters: trace.level >= 3 ? plan.parameterTexts(row) : [])
  }
}
