/// Batch requests: the rows that they are about are noted in a table of the connection, then changed where they
/// stand, all in one transaction.
extension SQLiteStore {
  var executesBatches: Bool { true }

  func delete(_ batch: BatchDelete) throws -> [RowReference] {
    let plan = try BatchDeletePlan(schema, batch.layout)
    return try batchTransaction(batch.layout) { run in
      switch batch {
      case .found(let fetch): try note(fetch, run)
      case .keys(let keys, let root):
        let statement = StatementText(BatchRows.addKey(try schema.entity(root), schema))
        for key in keys { try run.run(statement, [.int(key)]) }
      }
      let chosen = try run.references(BatchRows.chosen)
      try run.cascade(plan.cascades)
      run.changed += try run.references(BatchRows.all)
      for sql in plan.files { try run.abandonFiles(sql) }
      for sql in plan.unlinks + plan.deletes { try run.run(SQLFragment(sql)) }
      for detachment in plan.detachments { try run.detach(detachment) }
      for sql in plan.clearings { try run.run(SQLFragment(sql)) }
      return chosen
    }
  }

  func update(_ batch: BatchUpdate) throws -> [RowReference] {
    let plan = try BatchUpdatePlan(schema, batch, PredicateTranslator(store: identity))
    return try batchTransaction(batch.rows.layout) { run in
      try note(batch.rows, run)
      let chosen = try run.references(BatchRows.chosen)
      run.changed += chosen
      if let files = plan.files { try run.abandonFiles(files) }
      try run.run(plan.update)
      let table = try schema.entity(batch.rows.layout).table
      for column in plan.perRow {
        let text = StatementText("UPDATE \(table) SET \(column.name) = ? WHERE Z_PK = ?")
        for row in chosen { try run.write(batch.values.tail(word: column.property.word), text, row.key) }
      }
      return chosen
    }
  }

  private func note(_ fetch: FetchDescription, _ run: BatchRun) throws {
    let query = try queries.rowQuery(fetch.layout, includesSubentities: fetch.includesSubentities)
    let planner = FetchPlanner(schema: schema, translator: PredicateTranslator(store: identity))
    try run.run(try BatchRows.add(fetch, query, planner))
  }

  /// Runs `body` in a transaction, and lets the cache know which rows it changed.
  private func batchTransaction(
    _ layout: EntityLayout, _ body: (BatchRun) throws -> [RowReference]
  ) throws -> [RowReference] {
    if isReadOnly { throw Failure.readOnlyStore(url: url, entity: layout.name) }
    return try translatingErrors {
      try pool.write { connection in
        let notes = connection.attachment as? TriggerNotes
        notes?.rows.removeAll()
        let run = BatchRun(self, connection)
        try run.run(BatchRows.create)
        try connection.begin(.exclusive)
        let chosen: [RowReference]
        do {
          try run.run(BatchRows.clear)
          chosen = try body(run)
          try run.run(BatchRows.clear)
          pool.willCommit()
          try connection.commit()
        } catch {
          connection.rollback()
          externalFiles.remove(run.writer.written)
          throw error
        }
        pool.didCommit()
        let (files, abandoned) = (externalFiles, run.writer.abandoned)
        // Older generations may still be read.
        if !abandoned.isEmpty { pool.whenNoneIsPinned { files.remove(abandoned) } }
        let derived = (notes?.rows ?? []).compactMap { note in
          schema.index(ofNumber: note.number).map { RowReference(entity: $0, key: note.key) }
        }
        rowCache.invalidate(run.changed + derived)
        return chosen
      }
    }
  }
}
