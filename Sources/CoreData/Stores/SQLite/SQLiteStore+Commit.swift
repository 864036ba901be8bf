/// Saving: plan, run in one transaction, answer.
extension SQLiteStore {
  /// Saves a change set. `StoresSource.check(_:)` has made sure that the store may be written to.
  func commit(_ changes: ChangeSet) throws -> SaveOutcome {
    let steps = try savePlanner.steps(for: changes)
    let start = DispatchTime.now().uptimeNanoseconds
    let outcome = try translatingErrors { try pool.write { try self.runSteps(changes, steps: steps, connection: $0) } }
    trace?.annotate("sql execution time: \(StatementTrace.seconds(since: start))")
    return outcome
  }

  private func runSteps(
    _ changes: ChangeSet, steps: [SaveStep], connection: Connection
  ) throws -> SaveOutcome {
    let transaction = try WriteTransaction(self, connection, by: changes.isEmpty ? nil : changes.origin)
    var run = SaveRun(connection, schema: schema, externals: externals, changes: changes)
    let newMetadata = storedMetadata.unwritten
    var keysAreFree = true
    let isCommitted = try transaction.run {
      for keys in changes.proposedKeys where keysAreFree { keysAreFree = try take(keys, connection) }
      guard keysAreFree else { return false }
      try transaction.recorder?.record(changes)
      try run.run(steps)
      if run.hasConflicts { return false }
      if let newMetadata { try StoreMetadata.write(newMetadata.values, to: connection) }
      return true
    } files: {
      run.writer.files
    } isOwn: {
      Set((changes.inserted + changes.updated.map(\.row) + changes.deleted).map(\.reference)).contains
    } isInFile: {
      isInFile(changes, connection)
    }
    guard isCommitted else {
      if !keysAreFree { return .staleKeys }
      if let row = run.displaced { throw keyIsTaken(row) }
      return try conflicts(run, changes: changes, connection: connection)
    }
    changes.proposedKeys.forEach(didTake)
    if let newMetadata { storedMetadata.didWrite(newMetadata) }
    return .saved(rewritten: publish(changes, notes: transaction.notes, connection: connection))
  }

  /// Whether the file has the changes although SQLite reported that the commit failed.
  private func isInFile(_ changes: ChangeSet, _ connection: Connection) -> Bool {
    guard let row = changes.firstRow else { return false }
    let question = ChangeSet()
    question.locked = [row]
    do {
      var run = SaveRun(connection, schema: schema, externals: externals, changes: question)
      try run.run(savePlanner.steps(for: question))
      let isThere = run.outdated.isEmpty
      return changes.inserted.isEmpty && changes.updated.isEmpty ? !isThere : isThere
    } catch {
      return false
    }
  }

  /// Brings the row cache up to date with the commit. Returns the rows that triggers changed further.
  ///
  /// The changes are in the file by now, so nothing here may make the save fail. A row that can't be read is asked for
  /// again, and its error met, by those who need it.
  private func publish(_ changes: ChangeSet, notes: TriggerNotes?, connection: Connection) -> [RowSnapshot] {
    rowCache.publish(changes)
    guard let notes, !notes.rows.isEmpty else { return [] }
    do { return try rewritten(notes, connection) } catch {
      rowCache.invalidate(
        notes.rows.compactMap { note in
          schema.index(ofNumber: note.number).map { RowReference(entity: $0, key: note.key) }
        })
      return []
    }
  }

  private func rewritten(_ notes: TriggerNotes, _ connection: Connection) throws -> [RowSnapshot] {
    var keys: [Int: Set<Int64>] = [:]
    for note in notes.rows {
      if let index = schema.index(ofNumber: note.number) {
        keys[layouts[index].rootIndex, default: []].insert(note.key)
      }
    }
    return try keys.sorted(on: \.key).flatMap { root, keys in
      try committedRows(keys.sorted(), in: layouts[root], connection)
    }
  }

  private func conflicts(_ run: SaveRun, changes: ChangeSet, connection: Connection) throws -> SaveOutcome {
    guard run.outdated.isEmpty else {
      return .versionConflicts(
        try run.outdated.map { base in
          let root = layouts[base.entity].root
          // Ask before reading the row, because reading puts it into the cache.
          let cached = rowCache.row(base.reference)
          // A row that is of another entity now is another object's.
          let persisted = try committedRows([base.key], in: root, connection).first { $0.entity == base.entity }
          return VersionConflict(
            base: base, persisted: persisted,
            isCached: persisted != nil && cached != nil && cached?.version == persisted?.version)
        })
    }
    // The rows of the change set under their actual entities, by their references under the root entity.
    let collisions = run.collisions.list
    let own = collisions.contains(where: \.isOwn) ? rowsByRoot(changes) : [:]
    return .constraintConflicts(
      try collisions.map { collision in
        let root = layouts[collision.entity].root
        let key = RowReference(entity: root.index, key: collision.key)
        let holder =
          collision.isOwn ? [own[key] ?? RowReference(entity: collision.entity, key: collision.key)] : []
        return ConstraintConflict(
          constraint: collision.constraint, conflicting: (holder + collision.rows).sorted(on: \.key),
          persisted: collision.isOwn
            ? nil : try committedRows([collision.key], in: root, connection).first)
      })
  }

  private func rowsByRoot(_ changes: ChangeSet) -> [RowReference: RowReference] {
    var references: [RowReference: RowReference] = [:]
    func add(_ row: RowSnapshot) {
      let root = RowReference(entity: layouts[row.entity].rootIndex, key: row.key)
      if references[root] == nil { references[root] = row.reference }
    }
    changes.inserted.forEach(add)
    changes.updated.forEach { add($0.row) }
    return references
  }

  /// Reads rows as they are now, with the connection that writes.
  private func committedRows(
    _ keys: [Int64], in root: EntityLayout, _ connection: Connection
  ) throws -> [RowSnapshot] {
    let query = try queries.rowQuery(root, includesSubentities: true)
    var rows = try keys.flatMap { key -> [RowSnapshot] in
      let statement = try connection.statement(queries.faultText(query, .one))
      statement.bind(key, at: 1)
      connection.trace?.willRun(statement, parameters: ["(int64)\(key)"])
      defer { statement.reset() }
      return try query.rows(statement, files: externalFiles)
    }
    rowCache.publish(&rows, readAfter: nil)
    return rows
  }
}
