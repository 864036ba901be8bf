package import CoreData
import Foundation

/// Opening the history of a store.
extension PostgreSQLStore {
  package var storeHistory: (any StoreHistory)? { history }

  /// Returns the keys of the texts that the history says of a transaction; none without a history.
  ///
  /// A new text is inserted by a transaction of its own, so this needs a connection. It is asked for before the writing
  /// transaction has one: if each writer held one and waited for a second, none would go on.
  func originTexts(_ origin: ChangeOrigin) throws -> [Int64?] {
    guard let history else { return [] }
    return try reconnected { try history.strings(of: origin) }
  }

  /// Opens the history as the option asks:
  ///
  /// | option | database | result |
  /// |---|---|---|
  /// | on | any | missing tables and columns are created, unless the store is read-only |
  /// | off | has no transactions | nothing is recorded; once another process records, saves are an error |
  /// | off | has transactions | the store becomes read-only: its saves would be missing in the history |
  func openHistory(_ schema: StoreSchema) throws -> PostgreSQLHistory? {
    let isAsked = settings.tracksHistory
    return try pool.read { connection in
      let (areThere, hasTransactions) = try HistoryTables.look(connection)
      guard isAsked else {
        if hasTransactions, !isReadOnly {
          isReadOnly = true
          warn(.untrackedHistory(url?.absoluteString ?? "on a server"))
        }
        return nil
      }
      let wanted = HistoryColumns.tombstoneCount(schema)
      if isReadOnly {
        return areThere
          ? PostgreSQLHistory(self, schema, tombstones: min(try HistoryTables.tombstones(connection), wanted)) : nil
      }
      // Even statements that find all there wait for writers and readers, and make others wait behind them.
      if try HistoryTables.areWhole(tombstones: wanted, connection) {
        return PostgreSQLHistory(self, schema, tombstones: wanted)
      }
      try connection.transaction {
        try lockOpening(connection)
        if !areThere { try SaveMark.retireAll(patience: settings.patience, connection) }
        try HistoryTables.make(tombstones: wanted, connection)
      }
      return PostgreSQLHistory(self, schema, tombstones: wanted)
    }
  }
}
