/// Translates predicates into SQL conditions that select exactly the rows which evaluation in memory accepts.
///
/// SQL has three truth values, predicates have two: a comparison with null is unknown in SQL and false (for
/// `!=` true) in a predicate. Since unknown counts as false under AND, OR and WHERE, only negations need care:
/// they are pushed down to the comparisons, and there unknown is made false before it is negated.
///
/// Pure: what cannot be translated throws a `Failure` that names it.
struct PredicateTranslator {
  /// The store whose objects may be compared by key; others equal none of its rows.
  let store: StoreIdentity?

  func condition(_ node: PredicateNode, _ scope: QueryScope, negated: Bool = false) throws -> SQLFragment {
    switch node {
    case .constant(let value): return value != negated ? .always : .never
    case .not(let member): return try condition(member, scope, negated: !negated)
    case .and(let members): return try compound(members, scope, negated: negated, isAnd: !negated)
    case .or(let members): return try compound(members, scope, negated: negated, isAnd: negated)
    case .comparison(let comparison): return try self.comparison(comparison, scope, negated: negated)
    case .block:
      throw PredicateTranslator.unsupported("Problem with subpredicate BLOCKPREDICATE: a block", scope)
    }
  }

  private func compound(
    _ members: [PredicateNode], _ scope: QueryScope, negated: Bool, isAnd: Bool
  ) throws -> SQLFragment {
    let conditions = try members.map { try condition($0, scope, negated: negated) }
    guard let first = conditions.first else { return isAnd ? .always : .never }
    return conditions.dropFirst().reduce(first) { isAnd ? "(\($0) AND \($1))" : "(\($0) OR \($1))" }
  }

  static func unsupported(_ what: String, _ scope: QueryScope) -> Failure {
    .malformedFetchRequest(
      entity: scope.source.layout.name, what: "\(what) can't be translated into SQL")
  }

  // Comparisons.

  private func comparison(_ comparison: Comparison, _ scope: QueryScope, negated: Bool) throws -> SQLFragment {
    if comparison.modifier == .all {
      throw PredicateTranslator.unsupported("Unsupported predicate: the modifier ALL", scope)
    }
    let left = try operand(comparison.left, scope)
    let right = try operand(comparison.right, scope)
    if case .collection(let collection) = left {
      if comparison.modifier == .direct, collection.rest.isEmpty, collection.filter == nil,
        comparison.comparator == .equalTo || comparison.comparator == .notEqualTo,
        case .constant(.null) = right
      {
        // Whether there are any members.
        return try exists(collection, nil, negated: negated != (comparison.comparator == .equalTo))
      }
      return try any(collection, comparison, right, negated: negated)
    }
    if case .collection(let collection) = right { return try membership(comparison, collection, scope, negated) }
    return try single(comparison, left, right, scope, negated: negated)
  }

  /// `ANY collection op right`: a member for which it holds.
  private func any(
    _ collection: SQLCollection, _ comparison: Comparison, _ right: SQLOperand, negated: Bool
  ) throws -> SQLFragment {
    if case .collection = right {
      throw PredicateTranslator.unsupported("A to-many key path on both sides of a comparison", collection.scope)
    }
    return try exists(collection, negated: negated) { inner in
      var comparator = comparison.comparator
      // `books CONTAINS book` asks for a member, not for a part of a text.
      if comparator == .contains, collection.rest.isEmpty { comparator = .equalTo }
      let element = try self.operand(
        collection.rest.isEmpty ? .evaluatedObject : .keyPath(collection.rest), inner)
      var single = comparison
      single.comparator = comparator
      if case .collection(let deeper) = element {
        return try self.any(deeper, single, right, negated: false)
      }
      return try self.single(single, element, right, inner, negated: false)
    }
  }

  /// `x IN collection`.
  private func membership(
    _ comparison: Comparison, _ collection: SQLCollection, _ scope: QueryScope, _ negated: Bool
  ) throws -> SQLFragment {
    guard comparison.comparator == .in || comparison.comparator == .equalTo else {
      throw PredicateTranslator.unsupported("A to-many key path on the right of a comparison", scope)
    }
    var reversed = comparison
    reversed.left = comparison.right
    reversed.right = comparison.left
    reversed.comparator = .equalTo
    reversed.modifier = .any
    return try any(collection, reversed, try operand(comparison.left, scope), negated: negated)
  }

  private func exists(_ collection: SQLCollection, _ condition: SQLFragment?, negated: Bool) throws -> SQLFragment {
    try exists(collection, negated: negated) { _ in condition }
  }

  private func exists(
    _ collection: SQLCollection, negated: Bool, _ condition: (QueryScope) throws -> SQLFragment?
  ) throws -> SQLFragment {
    let select = try members(of: collection, columns: { _ in ["1"] }, condition)
    return negated ? " NOT EXISTS(\(select.fragment))" : " EXISTS(\(select.fragment))"
  }

  /// A select over the members of a relationship: in its scope they are `SELF`.
  func members(
    of collection: SQLCollection, columns: (QueryScope) throws -> [SQLFragment],
    _ condition: (QueryScope) throws -> SQLFragment? = { _ in nil }
  ) throws -> SelectStatement {
    let schema = collection.scope.schema
    let layout = schema.layouts.layouts[collection.relationship.destination]
    let inner = collection.scope.inner(layout)
    let alias = inner.source.alias
    var select = SelectStatement()
    select.table = "\(try schema.entity(layout).table) \(alias)"
    let storage = try schema.entity(collection.owner.layout).toMany[collection.relationship.toManyIndex]
    switch storage {
    case .foreignKey(_, let column, _), .hiddenKey(_, let column, _):
      select.conditions = [" \(alias).\(column) = \(collection.owner.alias).Z_PK"]
    case .join(let side):
      let link = inner.newAlias()
      inner.append(join: "JOIN \(side.table.name) \(link) ON \(alias).Z_PK = \(link).\(side.member)")
      select.conditions = [" \(link).\(side.owner) = \(collection.owner.alias).Z_PK"]
    case .none: throw Failure.noStoreForEntity(entity: layout.name)
    }
    if let filter = collection.filter {
      // Plain key paths in a SUBQUERY's predicate speak of the object around, its variable of the member.
      let outer = inner.variables
      inner.variables[filter.variable] = (inner, inner.source)
      defer { inner.variables = outer }
      select.conditions.append(try self.condition(filter.predicate, inner.root))
    }
    if let condition = try condition(inner) { select.conditions.append(condition) }
    select.columns = try columns(inner)
    select.joins = inner.joins
    return select
  }
}
