package import CoreData
import Foundation

/// Reading the newest state, by whatever connection is free.
extension PostgreSQLStore: RowReader {
  private var newest: StateQuestions { StateQuestions(store: self, rowCache: rowCache) }

  package func rows(for fetch: FetchDescription) throws -> FetchOutcome { try newest.rows(for: fetch) }

  package func rows(forKeys keys: [Int64], in root: EntityLayout) throws -> [RowSnapshot] {
    try newest.rows(forKeys: keys, in: root)
  }

  func rows(forKeys keys: [Int64], in root: EntityLayout, _ connection: Connection) throws -> [RowSnapshot] {
    try newest.rows(forKeys: keys, in: root, connection)
  }

  package func members(of relationship: LayoutProperty, owner: RowReference) throws -> [RowReference] {
    try newest.members(of: relationship, owner: owner)
  }

  package func memberRows(
    of relationship: LayoutProperty, owners keys: [Int64], of layout: EntityLayout
  ) throws -> [MemberRow] {
    try newest.memberRows(of: relationship, owners: keys, of: layout)
  }

  /// The rows that a statement names by Z_ENT, or anything where the entity is known, and Z_PK.
  func references(_ rows: ServerRows, of layout: EntityLayout?) throws -> [RowReference] {
    try newest.references(rows, of: layout)
  }

  /// The state that the store has now, to be read later on.
  package func pinnedGeneration() throws -> (any StoreGeneration)? {
    try translatingErrors { ServerGeneration(try pins.pin(pool), of: self) }
  }

  /// What a statement answers, as texts: for this package's tools. It can't write.
  package func texts(_ sql: String) throws -> [[String?]] {
    try translatingErrors {
      try pool.read { connection in
        try connection.run("BEGIN READ ONLY")
        return try connection.finishingTransaction {
          let rows = try connection.run(sql)
          return (0..<rows.count).map { row in (0..<rows.columns).map { rows.text(row, $0) } }
        }
      }
    }
  }
}
