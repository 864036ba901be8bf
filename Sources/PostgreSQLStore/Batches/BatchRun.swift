internal import CoreData
import Foundation

/// Runs the statements of one batch request in a transaction. Used by one thread.
final class BatchRun {
  private let store: PostgreSQLStore
  private let rows: BatchRows
  let connection: Connection
  /// The recorder of changes; nil for a store without history.
  let recorder: HistoryRecorder?
  /// The rows that the cache has to forget.
  var changed: [RowReference] = []

  init(_ store: PostgreSQLStore, _ transaction: WriteTransaction) {
    self.store = store
    rows = BatchRows(store.schema, .postgreSQL)
    connection = transaction.connection
    recorder = transaction.recorder
  }

  /// Creates the temporary table for noted rows. The commit empties it.
  func begin() throws {
    try connection.run(
      "CREATE TEMP TABLE IF NOT EXISTS _Z_BATCH (Z_ROOT bigint, Z_PK bigint, Z_ENT bigint, Z_STEP bigint, "
        + "PRIMARY KEY (Z_ROOT, Z_PK)) ON COMMIT DELETE ROWS")
  }

  func note(_ fetch: FetchDescription) throws {
    let plan = try store.plans.rowPlan(fetch.layout, includesSubentities: fetch.includesSubentities)
    let translator = PredicateTranslator(store: store.identity, dialect: .postgreSQL)
    let planner = FetchPlanner(schema: store.schema, translator: translator)
    let fragment = try rows.add(fetch, plan.query, by: planner)
    try connection.execute(fragment.numberedText, try Parameters(fragment.bindings))
  }

  func note(_ keys: [Int64], of root: EntityLayout) throws {
    var parameters = Parameters()
    parameters.add(keys: keys)
    try connection.execute(rows.addKeys(store.schema.entity(root)), parameters)
  }

  /// Returns the rows that the request itself selects, without those that follow by cascade.
  func chosen() throws -> [RowReference] {
    let found = try connection.execute(
      "SELECT Z_ENT, Z_PK FROM pg_temp._Z_BATCH WHERE Z_STEP = 0 ORDER BY Z_ROOT, Z_PK")
    return try store.references(found, of: nil)
  }

  /// Notes the rows that noted rows lead to, step by step, until there are no more.
  func cascade(_ statements: [String]) throws {
    var step: Int64 = 0
    var isComplete = statements.isEmpty
    while !isComplete {
      isComplete = true
      for sql in statements {
        var parameters = Parameters()
        parameters.add(step)
        if try connection.execute(sql, parameters).affected > 0 { isComplete = false }
      }
      step += 1
    }
  }

  /// Notes all rows as deleted, for the cache and for the history, with the values that the history preserves.
  func noteDeletions() throws {
    let all = try store.references(connection.execute("SELECT Z_ENT, Z_PK FROM pg_temp._Z_BATCH"), of: nil)
    changed += all
    guard let recorder, let history = store.history else { return }
    var values: [RowReference: RowSnapshot] = [:]
    let preserving = all.filter { !history.preserved(Int($0.entity)).isEmpty }
    for (root, rows) in Dictionary(grouping: preserving, by: { store.layouts[Int($0.entity)].rootIndex }) {
      let plan = try store.plans.rowPlan(store.layouts[root])
      var parameters = Parameters()
      parameters.add(keys: rows.map(\.key))
      for row in try plan.rows(connection.execute(store.plans.faultText(plan), parameters)) {
        values[row.reference] = row
      }
    }
    for row in all { recorder.delete(row, values[row]) }
  }

  /// Notes rows as updated, for the cache and the history. Each subentity has slot numbers of its own.
  func noteUpdates(_ batch: BatchUpdate, _ rows: [RowReference]) {
    changed += rows
    guard let recorder else { return }
    for (entity, rows) in Dictionary(grouping: rows, by: \.entity).sorted(by: { $0.key < $1.key }) {
      let layout = store.layouts[Int(entity)]
      let slots = SlotMask(batch.names.compactMap { layout.property(named: $0)?.slot })
      for row in rows { recorder.update(row, slots) }
    }
  }

  /// Clears references to deleted rows. Throws if a mandatory relationship would become empty.
  func detach(_ detachment: BatchDeletePlan.Detachment) throws {
    if let (entity, property) = detachment.mandatory {
      if try connection.execute(detachment.select).isEmpty { return }
      throw StoreFailure.missingMandatoryValue(entity: entity, property: property)
    }
    // In one statement: a row that another commits between two would be changed, and nobody would hear of it.
    let found = try store.references(
      connection.execute(detachment.update + " RETURNING Z_ENT, Z_PK"), of: detachment.entity)
    changed += found
    if let recorder {
      for row in found { recorder.update(row, detachment.slots(in: store.layouts[Int(row.entity)])) }
    }
  }
}
