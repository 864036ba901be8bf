/// The statements that the planner's phases want to run. The parts are listed in the order in which they run. In the
/// first two, everything still has the names and numbers of the source.
package struct MigrationStatements {
  /// A change of a name.
  typealias Rename = (from: String, to: String)

  /// Drops triggers, and clears references to removed rows.
  var clearing: [MigrationPlan.Step] = []
  /// Copies rows that change their table, and links that change their form, into other tables.
  var gathering: [MigrationPlan.Step] = []
  /// Removes indexes and rows; adds, renames and drops columns. One UPDATE for each table writes new values and
  /// numbers.
  var altering: [MigrationPlan.Step] = []
  /// The removed tables, with the names that they keep until they are dropped.
  var putAside: [Rename] = []
  /// The tables that get another name.
  var renames: [Rename] = []
  /// Moves the gathered rows and links to their tables.
  var filling: [MigrationPlan.Step] = []
  /// Creates indexes and triggers, derives attributes, and updates the history.
  var finishing: [MigrationPlan.Step] = []

  /// The columns that change in a table, by the source's name of the table. Their indexes are created again.
  var touched: [String: Set<String>] = [:]
  /// The tables that keep their name and are not copied.
  var staying: Set<String> = []
  /// Whether something is put aside that is removed later.
  var defers = false

  static func + (one: MigrationStatements, other: MigrationStatements) -> MigrationStatements {
    var both = one
    both.clearing += other.clearing
    both.gathering += other.gathering
    both.altering += other.altering
    both.putAside += other.putAside
    both.renames += other.renames
    both.filling += other.filling
    both.finishing += other.finishing
    both.touched.merge(other.touched) { $0.union($1) }
    both.staying.formUnion(other.staying)
    both.defers = one.defers || other.defers
    return both
  }

  func steps(_ names: inout TemporaryNames) -> [MigrationPlan.Step] {
    let naming = MigrationStatements.ordered(putAside + renames, &names).map {
      MigrationPlan.Step(sql: "ALTER TABLE \($0.from) RENAME TO \($0.to)", purpose: "naming the table \($0.to)")
    }
    return clearing + gathering + altering + naming + filling + finishing
  }

  /// Puts renames into an order in which each new name is free. If names are exchanged, one goes through a temporary
  /// name.
  static func ordered(_ renames: [Rename], _ names: inout TemporaryNames) -> [Rename] {
    var waiting = renames.filter { $0.from != $0.to }
    var result: [Rename] = []
    while !waiting.isEmpty {
      let taken = Set(waiting.map(\.from))
      if let next = waiting.firstIndex(where: { !taken.contains($0.to) }) {
        result.append(waiting.remove(at: next))
      } else {
        let name = names.next()
        result.append((waiting[0].from, name))
        waiting[0].from = name
      }
    }
    return result
  }

  mutating func drop(_ column: String, of table: String, _ versions: MigrationVersions) {
    if versions.defers {
      defers = true
      altering.append(
        .init(
          sql: "ALTER TABLE \(table) RENAME COLUMN \(column) TO \(versions.deferredName(column))",
          purpose: "putting the column \(table).\(column) aside"))
    } else {
      altering.append(
        .init(sql: "ALTER TABLE \(table) DROP COLUMN \(column)", purpose: "dropping the column \(table).\(column)"))
    }
  }
}

extension MigrationVersions {
  func deferredName(_ name: String) -> String { DeferredNames.name(for: MigrationPlanner.bare(name), unlike: existing) }
}
