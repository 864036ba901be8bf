/// One step of a save: a statement, and the rows, keys or pairs to run it with.
enum SaveStep {
  /// Each row must still have the version it was read with.
  case check(RowWritePlan, [RowSnapshot])
  case insert(RowWritePlan, ArraySlice<RowSnapshot>)
  case update(RowWritePlan, [RowUpdate])
  case delete(RowWritePlan, [RowSnapshot])
  /// A statement with one parameter, run for each key.
  case keys(StatementText, [Int64])
  /// A statement with two parameters, run for each pair.
  case pairs(StatementText, [KeyPair])
  /// New pairs of a join table.
  case join(JoinPlan, [KeyPair])
  /// The numbers in ordered relationships that the rows are written with, as far as they are known.
  case orderNumbers(OrderNumbers)
  /// Finds the numbers for members that will be written at the end of one owner's ordered relationship.
  case findEnd(OrderPlan, owner: Int64, [OrderNumbers.Membership])
  /// Numbers members at the end of one owner's ordered relationship.
  case append(OrderPlan, owner: Int64, members: [Int64])
  /// Numbers all members of one owner's ordered relationship.
  case order(OrderPlan, owner: Int64, members: [Int64])
}

package struct KeyPair: Hashable {
  package var first: Int64
  package var second: Int64

  package init(_ first: Int64, _ second: Int64) { (self.first, self.second) = (first, second) }
}

/// How pairs come into one join table.
final class JoinPlan: Sendable {
  let table: String
  /// Parameters: the two keys of a pair.
  let text: StatementText
  /// Takes all pairs of a `RowFeed`.
  let fed: StatementText?

  /// - Parameter insert: the statement up to its values.
  init(_ table: String, insert: String) {
    self.table = table
    text = StatementText("\(insert) VALUES (?, ?)")
    fed = RowFeed.text(insert, columnCount: 2)
  }
}

/// How the order of one relationship is read and written.
final class OrderPlan: Sendable {
  /// Selects each member of one owner with its number.
  let select: StatementText
  /// Selects the greatest number of one owner's members; null if none has a number.
  let last: StatementText
  /// Parameters: number, member, and the owner where `updateNamesOwner`.
  let update: StatementText
  let updateNamesOwner: Bool

  /// - Parameter isMember: the condition for the members of one owner.
  init(table: String, member: String, order: String, isMember: String, update: String, updateNamesOwner: Bool) {
    select = StatementText("SELECT \(member), \(order) FROM \(table) WHERE \(isMember) AND \(order) IS NOT NULL")
    last = StatementText("SELECT MAX(\(order)) FROM \(table) WHERE \(isMember)")
    self.update = StatementText(update)
    self.updateNamesOwner = updateNamesOwner
  }
}
