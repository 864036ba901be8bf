internal import CoreData
import Foundation

/// One transaction that writes. It begins by leaving its mark, and ends by recording its history.
struct WriteTransaction {
  let connection: Connection
  /// The recorder of changes; nil for a store without history.
  let recorder: HistoryRecorder?

  /// The result of a transaction, with the rows that triggers have changed.
  struct Outcome<Result> {
    let result: Result
    /// The changed rows, read again but not in the cache yet.
    var derived: [RowSnapshot] = []
    /// The transaction's number in the history; 0 for none.
    var transaction: Int64 = 0
  }

  /// - Parameters:
  ///   - texts: those of the transaction's origin; see `originTexts(_:)`.
  ///   - runsCode: whether `body` runs code of the program's.
  static func run<Result>(
    _ store: PostgreSQLStore, _ connection: Connection, _ mark: SaveMark, by texts: [Int64?],
    runsCode: Bool = false, _ pending: PendingOutcome<Outcome<Result>>, _ body: (WriteTransaction) throws -> Result
  ) throws {
    let begun = try connection.run(mark.begin(runsCode: runsCode))
    try connection.finishingTransaction {
      if begun.affected == 0 { throw SaveRun.MarkGone() }
      let notes = store.derivesValues ? DerivedNotes(store, connection) : nil
      try notes?.begin()
      let transaction = WriteTransaction(
        connection: connection, recorder: store.history.map { HistoryRecorder($0, connection, texts) })
      var outcome = Outcome(result: try body(transaction))
      if let notes { outcome.derived = try notes.rows() }
      if let recorder = transaction.recorder, !recorder.isEmpty {
        recorder.updateDerived(outcome.derived)
        // Checking constraints may wait for another transaction, so it comes before the step that makes others wait.
        if store.hasConstraints { try connection.run("SET CONSTRAINTS ALL IMMEDIATE") }
        try recorder.finishTransaction()
        outcome.transaction = recorder.transaction
      }
      pending.value = outcome
    }
  }
}

/// The rows for which triggers have derived values. Triggers note them in a temporary table of the connection, which
/// the commit empties. Without the table they note nothing, so a program that writes with SQL does not need it.
struct DerivedNotes {
  private let store: PostgreSQLStore
  private let connection: Connection

  init(_ store: PostgreSQLStore, _ connection: Connection) {
    self.store = store
    self.connection = connection
  }

  func begin() throws {
    try connection.run("CREATE TEMP TABLE IF NOT EXISTS _Z_DERIVED (Z_ENT bigint, Z_PK bigint) ON COMMIT DELETE ROWS")
  }

  func rows() throws -> [RowSnapshot] {
    let found = try connection.execute("SELECT DISTINCT Z_ENT, Z_PK FROM pg_temp._Z_DERIVED ORDER BY Z_ENT, Z_PK")
    var keys: [Int: [Int64]] = [:]
    for row in 0..<found.count {
      guard let entity = store.schema.index(ofNumber: Int(found.int(row, 0))) else { continue }
      keys[store.layouts[entity].rootIndex, default: []].append(found.int(row, 1))
    }
    return try keys.sorted { $0.key < $1.key }.flatMap { root, keys in
      let plan = try store.plans.rowPlan(store.layouts[root])
      var parameters = Parameters()
      parameters.add(keys: keys)
      return try plan.rows(connection.execute(store.plans.faultText(plan), parameters))
    }
  }
}
