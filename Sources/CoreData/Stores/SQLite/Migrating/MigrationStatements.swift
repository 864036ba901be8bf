/// What phases of the planner want to be run. The parts stand in the order in which they are; up to the third,
/// everything still has the names and numbers of the source.
package struct MigrationStatements {
  /// From a name to another one.
  typealias Rename = (from: String, to: String)

  /// Triggers go; references to what goes become null.
  var clearing: [MigrationPlan.Step] = []
  /// Rows that change their table, and links that are stored in another way, are put aside.
  var gathering: [MigrationPlan.Step] = []
  /// Indexes and rows that go; columns are added, renamed and dropped; one UPDATE for each table writes what is new,
  /// and new numbers.
  var altering: [MigrationPlan.Step] = []
  /// Tables that go, under the names that they wait with for their end.
  var putAside: [Rename] = []
  /// Tables that get another name.
  var renames: [Rename] = []
  /// What was put aside goes where it belongs.
  var filling: [MigrationPlan.Step] = []
  /// Indexes, derived attributes, triggers, history.
  var finishing: [MigrationPlan.Step] = []

  /// Columns that change in a table, by the table's name before: their indexes are made anew.
  var touched: [String: Set<String>] = [:]
  /// Tables that stay the same under their name.
  var staying: Set<String> = []
  /// Whether something is put aside, to be removed later.
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

  /// Renamings in an order in which each new name is free, through other names where one takes another's.
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
