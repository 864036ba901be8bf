/// Translates predicates into SQL conditions that select exactly the rows that evaluation in memory accepts.
///
/// SQL has three truth values, predicates have two. A comparison with null is unknown in SQL; in a predicate it is
/// false (for `!=` true). Unknown counts as false under AND, OR and WHERE, so only negations need care: they are pushed
/// down to the comparisons, and there unknown is made false before it is negated.
///
/// A pure function of its input. An expression that cannot be translated throws a `Failure` that names it.
package struct PredicateTranslator {
  /// The store whose objects may be compared by key. An object of another store equals none of its rows.
  let store: StoreIdentity?
  /// The dialect of the SQL.
  let dialect: SQLDialect
  /// Whether SQLite may stop before it has looked at all rows: the fetch has a limit, and no order that needs every
  /// row. Testing row after row may then cost less than finding all rows that pass the test.
  var stopsEarly = false

  package init(store: StoreIdentity?, dialect: SQLDialect = .sqlite) {
    self.store = store
    self.dialect = dialect
  }

  func condition(
    _ node: PredicateNode, _ scope: QueryScope, negated: Bool = false
  ) throws -> SQLExpression {
    switch node {
    case .constant(let value): return .truth(value != negated)
    case .not(let member): return try condition(member, scope, negated: !negated)
    case .and(let members): return try compound(members, scope, negated: negated, isAnd: !negated)
    case .or(let members): return try compound(members, scope, negated: negated, isAnd: negated)
    case .comparison(let comparison):
      return try self.comparison(comparison, scope, negated: negated)
    case .block:
      throw scope.refused(
        "Problem with subpredicate BLOCKPREDICATE: a block can't be translated into SQL; "
          + "fetch by the other conditions, and filter the array with it")
    }
  }

  private func compound(
    _ members: [PredicateNode], _ scope: QueryScope, negated: Bool, isAnd: Bool
  ) throws -> SQLExpression {
    .joined(try members.map { try condition($0, scope, negated: negated) }, isAnd: isAnd)
  }

  // Comparisons.

  private func comparison(_ comparison: Comparison, _ scope: QueryScope, negated: Bool) throws -> SQLExpression {
    if comparison.modifier == .all {
      throw scope.unsupported("Unsupported predicate: the modifier ALL")
    }
    if let column = try ColumnComparison(comparison, entity: scope.schema.entity(scope.source.layout), translator: self)
    {
      return try column.condition(scope, negated: negated)
    }
    if let condition = try emptiness(comparison, scope, negated: negated) { return condition }
    let left = try operand(comparison.left, scope)
    if comparison.comparator == .in, case .fetch(let request, _, countOnly: false) = comparison.right {
      return try membership(of: left, in: request, comparison, scope, negated: negated)
    }
    let right = try operand(comparison.right, scope)
    if case .collection(let collection) = left {
      if comparison.modifier == .direct, collection.rest.isEmpty, collection.filter == nil,
        comparison.comparator == .equalTo || comparison.comparator == .notEqualTo,
        case .constant(.nothing) = right
      {
        // `books == nil` asks whether there are no members.
        return try exists(collection, negated: negated != (comparison.comparator == .equalTo))
      }
      return try any(collection, comparison: comparison, right: right, negated: negated)
    }
    if case .collection(let collection) = right {
      return try membership(comparison, collection: collection, scope: scope, negated: negated)
    }
    return try singleComparison(comparison, left: left, right: right, scope: scope, negated: negated)
  }
}
