/// The statements for links, by dialect. SQLite runs a statement once for each key or pair; PostgreSQL takes all of
/// them at once, as arrays.
struct LinkTexts {
  private let dialect: SQLDialect
  private let pairs = "unnest(?::bigint[], ?::bigint[]) AS p(a, b)"

  init(_ dialect: SQLDialect) { self.dialect = dialect }

  /// Clears the number of members that leave an ordered relationship. Keys: the members'. Nil for SQLite, where a row's
  /// own update writes it.
  func clearNumbers(_ table: String, order: String) -> String? {
    switch dialect {
    case .sqlite: nil
    case .postgreSQL: "UPDATE \(table) SET \(order) = NULL WHERE Z_PK \(isOneOfKeys)"
    }
  }

  /// Removes members from an owner. Pairs: member, owner.
  func unlink(_ table: String, key: String, order: String?) -> String {
    let sets = "UPDATE \(table) SET \(key) = NULL\(clearing(order))"
    switch dialect {
    case .sqlite: return "\(sets) WHERE Z_PK = ? AND \(key) = ?"
    case .postgreSQL: return "\(sets) FROM \(pairs) WHERE Z_PK = p.a AND \(key) = p.b"
    }
  }

  /// Adds members to an owner. Pairs: owner, member.
  func link(_ table: String, key: String) -> String {
    switch dialect {
    case .sqlite: "UPDATE \(table) SET \(key) = ? WHERE Z_PK = ?"
    case .postgreSQL: "UPDATE \(table) SET \(key) = p.a FROM \(pairs) WHERE Z_PK = p.b"
    }
  }

  /// Removes all members of deleted owners. Keys: the owners'.
  func unlinkAll(_ table: String, key: String, order: String?) -> String {
    "UPDATE \(table) SET \(key) = NULL\(clearing(order)) WHERE \(key) \(isOneOfKeys)"
  }

  func remove(_ table: JoinTable) -> String {
    switch dialect {
    case .sqlite: "DELETE FROM \(table.name) WHERE \(table.first) = ? AND \(table.second) = ?"
    case .postgreSQL:
      "DELETE FROM \(table.name) USING \(pairs) WHERE \(table.first) = p.a AND \(table.second) = p.b"
    }
  }

  /// Adds pairs to a join table: for SQLite up to their values, which `JoinPlan` writes.
  func add(_ table: JoinTable) -> String {
    let target = "INTO \(table.name)(\(table.first), \(table.second))"
    switch dialect {
    case .sqlite: return "INSERT OR REPLACE \(target)"
    case .postgreSQL: return "INSERT \(target) SELECT a, b FROM \(pairs) ON CONFLICT DO NOTHING"
    }
  }

  /// Removes all pairs of deleted rows. Keys: the rows', in the column `end`.
  func removeAll(_ table: JoinTable, end: String) -> String { "DELETE FROM \(table.name) WHERE \(end) \(isOneOfKeys)" }

  private func clearing(_ order: String?) -> String { order.map { ", \($0) = NULL" } ?? "" }

  private var isOneOfKeys: String {
    switch dialect {
    case .sqlite: "= ?"
    case .postgreSQL: "= ANY(?)"
    }
  }
}
