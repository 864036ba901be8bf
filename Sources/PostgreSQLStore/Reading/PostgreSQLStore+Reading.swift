package import CoreData
import Foundation

/// Reading the newest state, on any free connection to the primary or to its replica.
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

  /// Returns references from a result whose first two columns are Z_ENT and Z_PK. If `layout` is given, it names the
  /// entity, and the first column is not read.
  func references(_ rows: ServerRows, of entity: EntitySchema?) throws -> [RowReference] {
    try newest.references(rows, of: entity)
  }

  /// Returns the store's present state, which can be read later. It is the primary's: replay on a replica ends
  /// transactions that read for long.
  package func pinnedGeneration() throws -> (any StoreGeneration)? {
    defer { replica?.mark() }
    return try translatingErrors { ServerGeneration(try pins.pin(pool), of: self) }
  }

  /// The next read of these rows must not come from a replica that does not have the change yet.
  package func changedElsewhere(_ rows: [RowReference]) {
    rowCache.invalidate(rows)
    replica?.mark()
  }

  /// Returns the result of a statement as texts, for this package's tools. The statement can't write.
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
