/// One step of a save: a statement, and the rows, keys or pairs to run it with.
enum SaveStep {
  /// Each row must still have the version it was read with.
  case check(RowWritePlan, [RowSnapshot])
  /// `places`: nil where the statement has no columns for them.
  case insert(RowWritePlan, ArraySlice<RowSnapshot>, places: NewPlaces? = nil)
  case update(RowWritePlan, [RowUpdate])
  case delete(RowWritePlan, [RowSnapshot])
  /// A statement with one parameter, run for each key.
  case keys(StatementText, [Int64])
  /// A statement with two parameters, run for each pair.
  case pairs(StatementText, [KeyPair])
  /// Numbers the members of one owner's ordered relationship.
  case order(OrderPlan, owner: Int64, members: [Int64])

  /// The statement, and how often it runs: for tests and the trace.
  var summary: (sql: String, count: Int) {
    switch self {
    case .check(let plan, let rows), .delete(let plan, let rows): return (plan.text.sql, rows.count)
    case .insert(let plan, let rows, _): return (plan.text.sql, rows.count)
    case .update(let plan, let updates): return (plan.text.sql, updates.count)
    case .keys(let text, let keys): return (text.sql, keys.count)
    case .pairs(let text, let pairs): return (text.sql, pairs.count)
    case .order(let plan, _, let members): return (plan.update.sql, members.count)
    }
  }
}

package struct KeyPair: Hashable {
  package var first: Int64
  package var second: Int64

  package init(_ first: Int64, _ second: Int64) { (self.first, self.second) = (first, second) }
}

/// How the order of one relationship is read and written.
final class OrderPlan: Sendable {
  /// Selects each member of one owner with its number.
  let select: StatementText
  /// Parameters: number, member, and the owner where `updateNamesOwner`.
  let update: StatementText
  let updateNamesOwner: Bool

  init(select: String, update: String, updateNamesOwner: Bool) {
    self.select = StatementText(select)
    self.update = StatementText(update)
    self.updateNamesOwner = updateNamesOwner
  }
}
