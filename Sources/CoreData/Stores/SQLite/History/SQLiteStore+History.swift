/// Opening the history of a store.
extension SQLiteStore {
  var storeHistory: (any StoreHistory)? { history }

  /// Opens the history as the store's option asks for it:
  ///
  /// | option | file | |
  /// |---|---|---|
  /// | on | any | tables and columns that are missing are made, if the store may be written to |
  /// | off | has no transactions | nothing is recorded |
  /// | off | has transactions | the store becomes read-only: what it wrote would be missing in its history |
  func openHistory() throws -> SQLiteHistory? {
    try translatingErrors {
      if storeOptions.tracksHistory {
        let tombstones = HistoryColumns.tombstoneCount(schema)
        let tables = try pool.write { connection in
          let tables = try HistoryTables(connection)
          if isReadOnly || tables.areComplete(tombstones: tombstones) { return tables }
          try connection.transaction(.exclusive) {
            for statement in try HistoryTables(connection).statements(tombstones: tombstones) {
              try connection.execute(statement)
            }
          }
          return try HistoryTables(connection)
        }
        return SQLiteHistory(self, tables)
      }
      if isReadOnly || storeOptions.isMigrationSource { return nil }
      let hasTransactions = try pool.write { connection in
        // Every store asks this when it opens, so the SQL log does not show it.
        func finds(_ sql: String) throws -> Bool {
          try Statement(sql, in: connection.database, isKept: false).step()
        }
        return try finds("SELECT 1 FROM sqlite_master WHERE name = 'ATRANSACTION'")
          && finds("SELECT 1 FROM ATRANSACTION LIMIT 1")
      }
      if hasTransactions {
        isReadOnly = true
        warn(.untrackedHistory(url?.path ?? "in memory"))
      }
      return nil
    }
  }
}

extension MisuseReport {
  /// - Parameter place: where the store is, without a password.
  package static func untrackedHistory(_ place: String) -> MisuseReport {
    MisuseReport(
      "The store \(place) has persistent history and was opened without "
        + "NSPersistentHistoryTrackingKey: it is read-only.",
      how: "Anything written now would be missing from the history, and its readers would never see it.",
      remedy: "Set the option to true. Or open the store with it once, and delete the whole history.")
  }
}
