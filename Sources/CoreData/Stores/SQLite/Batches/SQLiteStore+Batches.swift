/// Batch requests, each in one transaction. A delete or an update notes its rows in a temporary table, then changes
/// them in place. An insert reads its rows one by one.
extension SQLiteStore {
  func delete(_ batch: BatchDelete, by origin: ChangeOrigin) throws -> [RowReference] {
    let plan = try BatchDeletePlan(schema, layout: batch.layout)
    return try notingRows(batch.layout, origin: origin) { run in
      switch batch {
      case .found(let fetch): try noteRows(fetch, run)
      case .keys(let keys, let root):
        let statement = StatementText(BatchRows(schema).addKey(try schema.entity(root)))
        for key in keys { try run.run(statement, [.int(key)]) }
      }
      let chosen = try run.references(BatchRows.chosen)
      try run.cascade(plan.cascades)
      let all = try run.references(BatchRows.all)
      run.changed += all
      if let recorder = run.recorder {
        for row in all { try recorder.delete(row) }
      }
      for sql in plan.files { try run.abandonFiles(sql) }
      for sql in plan.unlinks + plan.deletes { try run.run(SQLFragment(sql)) }
      for detachment in plan.detachments { try run.detach(detachment) }
      for sql in plan.clearings { try run.run(SQLFragment(sql)) }
      return chosen
    }
  }

  func update(_ batch: BatchUpdate, by origin: ChangeOrigin) throws -> [RowReference] {
    let plan = try BatchUpdatePlan(schema, update: batch, translator: PredicateTranslator(store: identity))
    return try notingRows(batch.rows.layout, origin: origin) { run in
      try noteRows(batch.rows, run)
      let chosen = try run.references(BatchRows.chosen)
      run.changed += chosen
      if let recorder = run.recorder { try record(batch, rows: chosen, recorder: recorder) }
      if let files = plan.files { try run.abandonFiles(files) }
      do { try run.run(plan.update) } catch let error as SQLiteError {
        throw try conflict(error, batch) ?? error
      }
      let table = try schema.entity(batch.rows.layout).table
      for column in plan.perRow {
        let text = StatementText("UPDATE \(table) SET \(column.name) = ? WHERE Z_PK = ?")
        for row in chosen { try run.write(batch.values.tail(word: column.property.word), text: text, key: row.key) }
      }
      return chosen
    }
  }

  /// Records an update of rows. Each subentity numbers its slots differently.
  private func record(_ batch: BatchUpdate, rows: [RowReference], recorder: HistoryRecorder) throws {
    let names = batch.names
    var slots: [Int32: SlotMask] = [:]
    for row in rows {
      if let known = slots[row.entity] {
        try recorder.update(row, known)
        continue
      }
      let layout = layouts[Int(row.entity)]
      var mask = SlotMask()
      for name in names { if let property = layout.property(named: name) { mask.insert(property.slot) } }
      slots[row.entity] = mask
      try recorder.update(row, mask)
    }
  }

  private func noteRows(_ fetch: FetchDescription, _ run: BatchRun) throws {
    let query = try queries.rowQuery(fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: schema, translator: PredicateTranslator(store: identity))
    try run.run(try BatchRows(schema).add(fetch, query, by: planner))
  }

  /// The conflict that an update's statement met; nil if the error is not about a uniqueness constraint.
  private func conflict(_ error: SQLiteError, _ batch: BatchUpdate) throws -> BatchConflict? {
    guard error.isNotUnique,
      let constraint = BatchConstraint.broken(by: error, BatchConstraint.all(in: batch.rows.layout, schema))
    else { return nil }
    let taken = constraint.names.map { name in batch.constants.first { $0.name == name } }
    return BatchConflict(
      store: identity, entity: constraint.declaring, constraint: constraint.names,
      values: taken.contains { $0 == nil } ? [] : taken.map { batch.values.value($0!).boxed(for: $0!) })
  }

  func insert(_ batch: BatchInsert, by origin: ChangeOrigin) throws -> BatchInserted {
    let plan = BatchInsertPlan(schema, try schema.entity(batch.layout))
    do {
      return try batchTransaction(batch.layout, origin) { run in
        let root = schema.entity(at: batch.layout.rootIndex)
        let maximum = try readMaximum(root, run.connection)
        // No batch has more than four billion rows.
        guard maximum <= Int64.max - Int64(UInt32.max) else {
          throw noKeysLeft(batch.layout.root, entity: root, maximum: maximum)
        }
        var insertion = BatchInsertRun(run, plan: plan, batch: batch, store: identity, after: maximum)
        try insertion.insertAll()
        if insertion.lastKey > maximum {
          try raiseMaximum(to: insertion.lastKey, of: root, was: maximum, by: run.connection)
          keyNumbers.forgetTable(root.number)
        }
        if let recorder = run.recorder { try insertion.record(in: recorder) }
        return insertion.result
      }
    } catch var conflict as BatchConflict {
      if let holder = conflict.holder {
        conflict.persisted = try rows(forKeys: [holder.key], in: batch.layout.root).first
      }
      throw conflict
    }
  }

  /// Runs `body` in a transaction, with an empty table in which it notes its rows.
  private func notingRows(
    _ layout: EntityLayout, origin: ChangeOrigin, body: (BatchRun) throws -> [RowReference]
  ) throws -> [RowReference] {
    try batchTransaction(layout, origin, before: { try $0.run(BatchRows.create) }) { run in
      try run.run(BatchRows.clear)
      let chosen = try body(run)
      try run.run(BatchRows.clear)
      return chosen
    }
  }

  /// Runs `body` in a transaction, and removes the rows that it changed from the row cache.
  private func batchTransaction<Result>(
    _ layout: EntityLayout, _ origin: ChangeOrigin, before: (BatchRun) throws -> Void = { _ in },
    _ body: (BatchRun) throws -> Result
  ) throws -> Result {
    if isReadOnly { throw Failure.readOnlyStore(url: url, entity: layout.name) }
    return try translatingErrors {
      try pool.write { connection in
        let transaction = try WriteTransaction(self, connection, by: origin)
        let run = BatchRun(self, transaction)
        try before(run)
        var result: Result?
        _ = try transaction.run {
          result = try body(run)
          return true
        } files: {
          run.writer.files
        } isOwn: {
          // Triggers also report rows that the request has inserted.
          let known = Set(run.changed)
          return { known.contains($0) || run.isNew($0) }
        }
        let derived = (transaction.notes?.rows ?? []).compactMap { note in
          schema.index(ofNumber: note.number).map { RowReference(entity: $0, key: note.key) }
        }
        rowCache.invalidate(run.changed + derived)
        return result!
      }
    }
  }
}
