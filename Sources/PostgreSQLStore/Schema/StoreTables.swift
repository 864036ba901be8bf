internal import CoreData
import Foundation

/// All that a store has in its schema of the database, which may hold tables of others too. Found without a model.
struct StoreTables {
  /// The tables, in the order of their names; the names are quoted.
  let names: [String]
  /// Whether the tables of a history are among them.
  let haveHistory: Bool

  /// Finds the tables in the connection's current schema: those of entities by `Z_PRIMARYKEY`, join tables by the names
  /// of their columns, and the store's own.
  init(_ connection: Connection) throws {
    let roots = try connection.execute("SELECT Z_NAME FROM Z_PRIMARYKEY WHERE Z_SUPER = 0")
    // In capitals as the statements that made the tables have it: the server's capitals are its locale's.
    let wanted = Set((0..<roots.count).compactMap { roots.text($0, 0).map { "Z" + $0.uppercased() } } + StoreTables.own)
    let rows = try connection.execute(
      """
      SELECT quote_ident(c.relname), c.relname::text,
        c.relname ~ '^z_[0-9]+' AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid
          AND a.attnum > 0 AND NOT a.attisdropped AND a.attname !~ '^z_(fok_)?[0-9]+')
      FROM pg_class c
      WHERE c.relnamespace = \(ServerSchema.namespace) AND c.relkind = 'r'
      ORDER BY c.relname
      """)
    let found = (0..<rows.count).filter { row in
      rows.bytes(row, 2).first == 1 || wanted.contains((rows.text(row, 1) ?? "").uppercased())
    }
    names = found.compactMap { rows.text($0, 0) }
    haveHistory = found.contains { rows.text($0, 1) == "atransactioncounter" }
  }

  private static let own =
    ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE", "Z_WRITERS"]
    + HistoryTables.columns(tombstones: 0).map(\.table)

  /// Takes a lock on all tables for the rest of the transaction.
  ///
  /// - Parameter patience: the longest wait for others, in seconds.
  func lock(_ mode: String, patience: TimeInterval, _ connection: Connection) throws {
    try connection.run(
      "SET LOCAL lock_timeout = \(StoreSettings.milliseconds(patience)); "
        + "LOCK TABLE \(names.joined(separator: ", ")) IN \(mode) MODE")
  }

  /// Drops the tables, and the triggers of derived attributes.
  func drop(keepingHistory: Bool = false, _ connection: Connection) throws {
    try StoreTables.dropDerived(connection)
    let going = names.filter { !keepingHistory || !$0.hasPrefix("a") }
    try connection.run("DROP TABLE \(going.joined(separator: ", "))")
  }

  /// Drops the triggers of derived attributes, and their functions.
  static func dropDerived(_ connection: Connection) throws {
    for name in try functions("p.prorettype = 'trigger'::regtype AND p.proname LIKE 'Z\\_DA\\_%'", connection) {
      try connection.run("DROP FUNCTION \(name) CASCADE")
    }
  }

  /// Drops the functions and collations that predicates call. Throws if something of others needs them.
  static func dropFunctions(_ connection: Connection) throws {
    let names = try functions("p.proname LIKE 'nscoredata%'", connection)
    if !names.isEmpty { try connection.run("DROP FUNCTION \(names.joined(separator: ", "))") }
    for collation in ["NSCollateLocale", "NSCollateLocaleNoCase", "NSCollateLocaleSensitive"] {
      try connection.run("DROP COLLATION IF EXISTS \(collation)")
    }
  }

  private static func functions(_ condition: String, _ connection: Connection) throws -> [String] {
    let rows = try connection.execute(
      """
      SELECT p.oid::regprocedure::text FROM pg_proc p
      WHERE p.pronamespace = \(ServerSchema.namespace) AND \(condition)
      ORDER BY p.proname
      """)
    return (0..<rows.count).compactMap { rows.text($0, 0) }
  }
}
