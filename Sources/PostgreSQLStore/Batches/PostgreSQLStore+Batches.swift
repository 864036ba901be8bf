package import CoreData
import Foundation

/// Batch requests. A delete or update notes its rows in a temporary table and locks them, then changes them in place.
/// An insert copies its rows in. Each request is one transaction, with mark and history.
extension PostgreSQLStore: BatchStore {
  package func delete(_ batch: BatchDelete, by origin: ChangeOrigin) throws -> [RowReference] {
    let plan = try BatchDeletePlan(schema, layout: batch.layout, dialect: .postgreSQL)
    return try batchTransaction(batch.layout, origin) { run in
      try run.begin()
      switch batch {
      case .found(let fetch): try run.note(fetch)
      case .keys(let keys, let root): try run.note(keys, of: root)
      }
      let chosen = try run.chosen()
      try run.cascade(plan.cascades)
      try run.noteDeletions()
      for sql in plan.unlinks + plan.deletes { try run.connection.execute(sql) }
      for detachment in plan.detachments { try run.detach(detachment) }
      for sql in plan.clearings { try run.connection.execute(sql) }
      return chosen
    }
  }

  package func update(_ batch: BatchUpdate, by origin: ChangeOrigin) throws -> [RowReference] {
    let translator = PredicateTranslator(store: identity, dialect: .postgreSQL)
    let query = try plans.rowPlan(batch.rows.layout, includesSubentities: batch.rows.includesSubentities).query
    let plan = try BatchUpdatePlan(
      schema, update: batch, translator: translator,
      finding: (FetchPlanner(schema: schema, translator: translator), query))
    // The server checks constraints at the commit, which is one trip less than asking for it.
    return try batchTransaction(batch.rows.layout, origin, explaining: { explanation($0, batch) }) { run in
      let found = try run.connection.execute(plan.update.numberedText, try Parameters(plan.update.bindings))
      let changed = try references(found, of: nil).sorted { $0.key < $1.key }
      run.noteUpdates(batch, changed)
      return changed
    }
  }

  /// Returns what the server's refusal of an update means to the program; nil if it means nothing special.
  private func explanation(_ error: ServerError, _ batch: BatchUpdate) -> (any Error)? {
    if error.breaksUniqueness { return conflict(error, batch) }
    guard error.isAboutTypes else { return nil }
    return StoreFailure.refused(
      "the PostgreSQL server says: \(error.message). It takes types more strictly than SQLite does",
      entity: batch.rows.layout.name)
  }

  /// Returns the conflict of an update that broke a uniqueness constraint. If there are several, the server's error
  /// names the broken one. Returns nil if the error names none of them.
  private func conflict(_ error: ServerError, _ batch: BatchUpdate) -> BatchConflict? {
    let all = BatchConstraint.all(of: batch.rows.layout.subtree, layouts)
    let named = error.constraint?.lowercased() ?? ""
    guard
      let found = all.count == 1
        ? all[0] : all.first(where: { !named.isEmpty && $0.serverName.hasPrefix(named) })
    else { return nil }
    let taken = found.names.map { name in batch.constants.first { $0.name == name } }
    return BatchConflict(
      store: identity, entity: found.declaring, constraint: found.names,
      values: taken.contains { $0 == nil } ? [] : taken.map { batch.values.value($0!).boxed(for: $0!) })
  }

  package func insert(_ batch: BatchInsert, by origin: ChangeOrigin) throws -> BatchInserted {
    let entity = try schema.entity(batch.layout)
    let source = BatchInsertSource(self, batch)
    defer { source.giveBackKeys() }
    return try batchTransaction(batch.layout, origin, runsCode: true, isRepeatable: { !source.hasBegun }) { run in
      var insertion = BatchInsertRun(run, self, entity, batch, source)
      try insertion.insertAll()
      insertion.record()
      return insertion.result
    }
  }

  /// Runs `body` in a transaction, again if the server has taken it back, and lets the cache know which rows have
  /// changed.
  ///
  /// - Parameters:
  ///   - runsCode: whether `body` runs code of the program's.
  ///   - isRepeatable: whether it can be run again; see `repeated(_:isRepeatable:_:)`.
  ///   - explaining: the error for the program in place of the server's; nil for the server's own.
  private func batchTransaction<Result>(
    _ layout: EntityLayout, _ origin: ChangeOrigin, runsCode: Bool = false, isRepeatable: () -> Bool = { true },
    explaining: (ServerError) -> (any Error)? = { _ in nil }, _ body: (BatchRun) throws -> Result
  ) throws -> Result {
    if isReadOnly { throw StoreFailure.readOnly(url, entity: layout.name) }
    let texts = try translatingErrors { try originTexts(origin) }
    return try translatingErrors {
      try repeated("a batch", isRepeatable: isRepeatable) { _ in
        do {
          let outcome = try reconnected {
            try write {
              (connection, mark, pending: PendingOutcome<WriteTransaction.Outcome<(Result, [RowReference])>>) in
              try WriteTransaction.run(
                self, connection, mark, by: texts, runsCode: runsCode, pending
              ) { transaction in
                let run = BatchRun(self, transaction)
                return (try body(run), run.changed)
              }
            }
          }
          history?.didCommit(outcome.transaction)
          rowCache.invalidate(outcome.result.1 + outcome.derived.map(\.reference))
          return outcome.result.0
        } catch let error as ServerError {
          throw explaining(error) ?? error
        }
      }
    }
  }
}

/// A uniqueness constraint, with the entity that declares it.
struct BatchConstraint {
  /// The attributes, of a composite one its elements.
  let names: [String]
  /// The names in the model.
  let declared: [String]
  /// The entity that has the constraint.
  let declaring: EntityLayout

  /// The constraint's name on the server, in lower case.
  var serverName: String { "z_\(declaring.name)_unique_\(declared.joined(separator: "_"))".lowercased() }

  /// Returns the constraints that rows of the entities can break: their own and inherited ones.
  static func all(of entities: some Sequence<Int>, _ layouts: ModelLayouts) -> [BatchConstraint] {
    var seen: Set<Int> = []
    var found: [BatchConstraint] = []
    for entity in entities {
      var index = entity
      while index >= 0, seen.insert(index).inserted {
        let declaring = layouts[index]
        found += zip(declaring.constraints, declaring.entity.constraintNames).map {
          BatchConstraint(names: $0, declared: $1, declaring: declaring)
        }
        index = declaring.superIndex
      }
    }
    return found
  }
}
