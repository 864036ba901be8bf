internal import CoreData
import Foundation

/// Inserts the rows of one batch, portion by portion, in one transaction.
///
/// If the entity has uniqueness constraints, other such batches into its table wait for the end of this one: two that
/// insert the same values in other orders would wait for each other. And each portion has a savepoint: a save may
/// insert the same values after the search for them and before the insertion, or wait for values of the portion and
/// have others that the portion waits for. The portion then starts over.
///
/// Three things grow with the batch: ranges of keys, the references of new rows if the caller wants them, and those of
/// overwritten rows.
struct BatchInsertRun {
  private let run: BatchRun
  private let store: PostgreSQLStore
  private let entity: EntitySchema
  private let batch: BatchInsert
  private let source: BatchInsertSource
  private let constraints: [BatchConstraint]
  private(set) var result = BatchInserted()
  /// The keys of the rows that the batch has inserted.
  private var inserted: [ClosedRange<Int64>] = []
  /// The older rows that the batch has overwritten, with the slots it changed, by key.
  private var overwritten: [Int64: (row: RowReference, slots: SlotMask)] = [:]

  init(
    _ run: BatchRun, _ store: PostgreSQLStore, _ entity: EntitySchema, _ batch: BatchInsert, _ source: BatchInsertSource
  ) {
    self.run = run
    self.store = store
    self.entity = entity
    self.batch = batch
    self.source = source
    constraints = BatchConstraint.all(of: [batch.layout.index], store.layouts)
  }

  mutating func insertAll() throws {
    if !constraints.isEmpty { try awaitOthers() }
    while true {
      let rows = try source.next(run.connection)
      if rows.isEmpty { break }
      if constraints.isEmpty {
        try write(BatchMerge.Settled(new: rows.map(\.row)))
      } else {
        try insertConstrained(rows)
      }
    }
  }

  /// Records the inserted and the overwritten rows in the history, and notes the latter for the cache.
  func record() {
    run.changed += overwritten.values.map(\.row)
    guard let recorder = run.recorder else { return }
    for keys in inserted { recorder.insert(batch.layout.index, keys) }
    for (_, change) in overwritten.sorted(by: { $0.key < $1.key }) { recorder.update(change.row, change.slots) }
  }

  /// Takes the lock of batches with constraints into this table, until the transaction ends.
  private func awaitOthers() throws {
    try run.connection.run(
      "SELECT pg_advisory_xact_lock(hashtext(COALESCE(current_schema()::text, '') || '.z_batch'), "
        + "\(store.schema.entity(at: batch.layout.rootIndex).number))")
  }

  private mutating func insertConstrained(_ rows: [BatchRow]) throws {
    let connection = run.connection
    for attempt in 1... {
      try connection.run("SAVEPOINT z_portion")
      let before = (result, inserted, overwritten)
      do {
        // A batch that fails on conflicts rarely has one, so the first attempt does not search for them.
        let settled =
          batch.answer == .fail && attempt == 1
          ? BatchMerge.Settled(new: rows.map(\.row)) : try settle(rows)
        try write(settled)
        try connection.run(
          "SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED; RELEASE SAVEPOINT z_portion")
        return
      } catch let error as ServerError
        where (error.breaksUniqueness || error.isOfDeadlock) && attempt < PostgreSQLStore.attempts
      {
        (result, inserted, overwritten) = before
        try connection.run("ROLLBACK TO SAVEPOINT z_portion")
      }
    }
  }

  private func settle(_ rows: [BatchRow]) throws -> BatchMerge.Settled {
    var merge = try BatchMerge(store, batch, constraints, rows, run.connection) { [inserted] key in
      inserted.contains { $0.contains(key) }
    }
    for row in rows { try merge.add(row) }
    return merge.settled
  }

  private mutating func write(_ settled: BatchMerge.Settled) throws {
    do { try RowInserts(store.schema).run(settled.new, into: entity, run.connection) } catch let error as ServerError {
      throw LongIndexedValue.explained(error, settled.new, store.layouts)
    }
    result.count += settled.new.count
    for row in settled.new {
      if batch.namesRows { result.rows.append(row.reference) }
      if let last = inserted.last, last.upperBound + 1 == row.key {
        inserted[inserted.count - 1] = last.lowerBound...row.key
      } else {
        inserted.append(row.key...row.key)
      }
    }
    for change in settled.changed { try overwrite(change) }
  }

  private mutating func overwrite(_ change: BatchMerge.Change) throws {
    let layout = store.layouts[change.row.entity]
    let entity = try store.schema.entity(layout)
    let columns = WriteTexts.changedColumns(entity, change.slots)
    var parameters = Parameters()
    parameters.add(keys: [change.row.key])
    for column in columns { parameters.add(column, of: [change.row], store.schema) }
    try run.connection.execute(WriteTexts.overwrite(entity, columns), parameters)
    let reference = change.row.reference
    if inserted.contains(where: { $0.contains(reference.key) }) { return }
    if overwritten[reference.key] == nil {
      result.count += 1
      if batch.namesRows { result.rows.append(reference) }
    }
    var slots = overwritten[reference.key]?.slots ?? SlotMask()
    change.slots.forEach { slots.insert($0) }
    overwritten[reference.key] = (reference, slots)
  }
}
