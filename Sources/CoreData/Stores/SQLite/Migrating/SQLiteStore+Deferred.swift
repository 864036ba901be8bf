import Foundation

/// The columns and tables that a migration has put aside.
///
/// A migration with `NSPersistentStoreDeferredLightweightMigrationOptionKey` drops no column and no table. It renames
/// them, which takes no time, and sets the same key in the store's metadata. Saves don't touch them, and a later
/// migration keeps them.
extension SQLiteStore {
  /// Drops the columns and tables that are put aside, or only one of them. Returns whether there was any. After the
  /// last one the key leaves the metadata.
  package func finishDeferredMigration(isOne: Bool) throws -> Bool {
    let key = NSPersistentStoreDeferredLightweightMigrationOptionKey
    guard metadata.flag(key) == true else { return false }
    if isReadOnly { throw Failure.readOnlyStore(url: url, entity: nil) }
    return try translatingErrors {
      try pool.write { connection in
        var forgotten: [String] = []
        let didDrop = try connection.transaction(.exclusive) {
          let before = try externalFiles.named(in: connection)
          let pending = try DeferredNames.dropStatements(connection)
          for statement in isOne ? Array(pending.prefix(1)) : pending { try connection.execute(statement) }
          // Another framework sets the key, too, and has other names for what it puts aside.
          let isLast = !pending.isEmpty && (!isOne || pending.count == 1)
          if isLast, var stored = try StoreMetadata.readIfPresent(at: url, from: connection) {
            stored[key] = nil
            try StoreMetadata.write(stored, to: connection)
          }
          // The files of dropped columns.
          if !before.isEmpty { forgotten = before.subtracting(try externalFiles.named(in: connection)).sorted() }
          try externals.willCommit(made: [], forgotten: forgotten)
          pool.willCommit()
          return (isLast: isLast, any: !pending.isEmpty)
        }
        pool.didCommit()
        externals.didCommit(made: [], forgotten: forgotten, connection)
        if didDrop.isLast { storedMetadata.forget(key) }
        return didDrop.any
      }
    }
  }
}

/// The names of columns and tables that a migration has put aside, to be dropped later.
enum DeferredNames {
  static let prefix = "DEFERRED_"

  /// A new name that the file does not have yet.
  static func name(for name: String, unlike existing: ExistingSchema) -> String {
    // The number differs if two migrations put aside the same name.
    let taken = Set(existing.tables.values.flatMap { $0.map(\.name) }).union(existing.deferredTables)
    var number = 1
    while taken.contains(SQLName.quoted("\(prefix)\(number)_\(name)")) { number += 1 }
    return SQLName.quoted("\(prefix)\(number)_\(name)")
  }

  /// The statements that drop the tables and columns that are put aside, one for each.
  static func dropStatements(_ connection: Connection) throws -> [String] {
    let tables = try connection.rows(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE '\(prefix)%' ORDER BY name")
    let columns = try connection.rows(
      """
      SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c \
      WHERE m.type = 'table' AND m.name LIKE 'Z%' AND c.name LIKE '\(prefix)%' ORDER BY m.name, c.name
      """)
    return tables.compactMap { row in row[0].map { "DROP TABLE \(SQLName.quoted($0))" } }
      + columns.compactMap { row in
        guard let table = row[0], let column = row[1] else { return nil }
        return "ALTER TABLE \(SQLName.quoted(table)) DROP COLUMN \(SQLName.quoted(column))"
      }
  }
}
