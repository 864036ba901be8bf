/// Conditions about the members of to-many relationships.
///
/// There are two ways to look for a member that meets a condition:
///
///     t0.Z_PK IN (SELECT t1.ZAUTHOR FROM ZBOOK t1 WHERE t1.ZTITLE = ?)
///     EXISTS(SELECT 1 FROM ZBOOK t1 WHERE (t1.ZAUTHOR = t0.Z_PK AND t1.ZTITLE = ?))
///
/// The first finds all such members once, by an index if there is one, and then their owners. Its cost does not grow
/// with the number of owners. The second looks at the members of each owner. It is used if the condition mentions the
/// owner, if there is no condition, and for negations (NULL among the keys would make NOT IN unknown). It is also used
/// for statements that stop early, unless an index leads to the members.
extension PredicateTranslator {
  /// Translates `collection.@count > 0` and other ways to ask whether there are members. Returns nil for other
  /// comparisons.
  func emptiness(_ comparison: Comparison, _ scope: QueryScope, negated: Bool) throws -> SQLExpression? {
    guard comparison.modifier == .direct else { return nil }
    // Of a group `count:` is an aggregate of its rows.
    let isOfRows = if case .refused = scope.aggregates { false } else { true }
    if isOfRows, comparison.left.isCountCall || comparison.right.isCountCall { return nil }
    var comparator = comparison.comparator
    let counted: ExpressionNode
    let limit: Double
    if let node = comparison.left.countedCollection, let number = comparison.right.constantNumber {
      (counted, limit) = (node, number)
    } else if let node = comparison.right.countedCollection, let number = comparison.left.constantNumber {
      guard let mirrored = comparator.mirrored else { return nil }
      (counted, limit, comparator) = (node, number, mirrored)
    } else {
      return nil
    }
    let asksForSome: Bool
    switch (comparator, limit) {
    case (.greaterThan, 0), (.notEqualTo, 0), (.greaterThanOrEqualTo, 1): asksForSome = true
    case (.equalTo, 0), (.lessThanOrEqualTo, 0), (.lessThan, 1): asksForSome = false
    default: return nil
    }
    guard case .collection(let collection) = try operand(counted, scope), collection.rest.isEmpty else { return nil }
    return try exists(
      collection, isIndexed: collection.filter.map { isIndexed($0.predicate, of: $0.variable, collection) } ?? false,
      negated: asksForSome == negated)
  }

  /// Translates `ANY collection op right`: there is a member for which the comparison holds.
  func any(
    _ collection: SQLCollection, comparison: Comparison, right: SQLOperand, negated: Bool
  ) throws -> SQLExpression {
    if case .collection = right {
      throw collection.scope.unsupported("A to-many key path on both sides of a comparison")
    }
    let isIndexed = isIndexed(comparison, path: collection.rest, collection: collection)
    return try exists(collection, isIndexed: isIndexed, isCorrelated: !right.isConstant, negated: negated) { inner in
      var single = comparison
      let element = try self.operand(
        collection.rest.isEmpty ? .evaluatedObject : .keyPath(collection.rest), inner)
      // `books CONTAINS book` and `loans.reader CONTAINS reader` ask for an object, not for a substring.
      if comparison.comparator == .contains, case .reference = element { single.comparator = .equalTo }
      if case .collection(let deeper) = element {
        return try self.any(deeper, comparison: single, right: right, negated: false)
      }
      return try singleComparison(single, left: element, right: right, scope: inner, negated: false)
    }
  }

  /// Translates `x IN collection`.
  func membership(
    _ comparison: Comparison, collection: SQLCollection, scope: QueryScope, negated: Bool
  ) throws -> SQLExpression {
    guard comparison.comparator == .in else {
      throw scope.unsupported("A to-many key path on the right of a comparison")
    }
    var reversed = comparison
    reversed.left = comparison.right
    reversed.right = comparison.left
    reversed.comparator = .equalTo
    reversed.modifier = .any
    let value = try operand(comparison.left, scope)
    if case .constant(.nothing) = value { return .truth(negated) }
    let isMember = try any(collection, comparison: reversed, right: value, negated: negated)
    if case .constant = value { return isMember }
    if case .evaluatedObject = comparison.left { return isMember }
    // nil equals nil, but nil is never a member.
    let key = try expression(value, scope)
    return negated ? .either(key.isNull(), isMember) : .both(key.isNull(false), isMember)
  }

  /// The condition that there is a member for which `condition` holds.
  ///
  /// - Parameters:
  ///   - isIndexed: whether an index leads to these members.
  ///   - isCorrelated: whether a part of the condition that is translated already mentions the owner.
  func exists(
    _ collection: SQLCollection, isIndexed: Bool = false, isCorrelated: Bool = false, negated: Bool,
    _ condition: (QueryScope) throws -> SQLExpression? = { _ in nil }
  ) throws -> SQLExpression {
    let members = try members(of: collection, column: { _ in .number(1) }, condition)
    if negated { return .prefix(.not, .exists(members.ofOwner)) }
    let isCorrelated = isCorrelated || members.isCorrelated
    if members.select.conditions.isEmpty || isCorrelated || stopsEarly && !isIndexed {
      return .exists(members.ofOwner)
    }
    return .infix(members.ownerKey, "IN", .select(members.owners))
  }

  /// The select over the members of a relationship. In its scope, `SELF` is a member.
  func members(
    of collection: SQLCollection, column: (QueryScope) throws -> SQLExpression,
    _ condition: (QueryScope) throws -> SQLExpression? = { _ in nil }
  ) throws -> SQLMembers {
    let schema = collection.scope.schema
    let layout = schema.layouts[collection.relationship.destination]
    let inner = collection.scope.inner(layout)
    let alias = inner.source.alias
    var select = SelectStatement(from: .named(try schema.entity(layout).table, as: alias))
    let storage = try schema.entity(collection.owner.layout).toMany[collection.relationship.toManyIndex]
    let link = try storage.link(from: alias, of: schema.entity(layout), pairs: inner.newAlias())
    link.joins.forEach(inner.append)
    let (conditions, isCorrelated) = try collection.scope.noting { () -> [SQLExpression] in
      var conditions: [SQLExpression] = []
      if let filter = collection.filter {
        // In a SUBQUERY's predicate a plain key path starts at the outer object; only the variable is the member.
        let outer = inner.variables
        inner.variables[filter.variable] = (inner, inner.source)
        defer { inner.variables = outer }
        let condition = try self.condition(filter.predicate, inner.root)
        if !condition.isAlways { conditions.append(condition) }
      }
      if let condition = try condition(inner) { conditions.append(condition) }
      select.columns = [try column(inner)]
      return conditions
    }
    select.conditions = conditions
    select.joins = inner.joins
    return SQLMembers(
      select: select, link: link.owner, ownerKey: .column(collection.owner.alias, "Z_PK"), isCorrelated: isCorrelated)
  }

  // Indexes.

  /// Whether an index leads to the few members that meet a comparison of the value at the end of `path`.
  private func isIndexed(_ comparison: Comparison, path: [String], collection: SQLCollection) -> Bool {
    guard comparison.options.isEmpty || comparison.options == .normalized else { return false }
    switch comparison.comparator {
    // Not for `<` and `>`: most members may meet them, and then an index is of little use.
    case .equalTo, .in, .between, .beginsWith: break
    // `books CONTAINS book`: by the key of a member.
    case .contains where path.isEmpty: break
    default: return false
    }
    let layouts = collection.scope.schema.layouts.layouts
    var layout = layouts[collection.relationship.destination]
    for (index, name) in path.enumerated() {
      guard let property = layout.property(named: name), property.destination >= 0 else {
        return index == path.count - 1 && (name == "objectID" || layout.isIndexed(name))
      }
      layout = layouts[property.destination]
    }
    return true
  }

  /// Whether an index leads to the few members that meet a SUBQUERY's predicate about `$variable`.
  private func isIndexed(_ node: PredicateNode, of variable: String, _ collection: SQLCollection) -> Bool {
    switch node {
    case .and(let members): return members.contains { isIndexed($0, of: variable, collection) }
    case .or(let members): return members.allSatisfy { isIndexed($0, of: variable, collection) }
    case .comparison(let comparison):
      switch comparison.left {
      case .variable(variable): return isIndexed(comparison, path: [], collection: collection)
      case .nested(.variable(variable), let path): return isIndexed(comparison, path: path, collection: collection)
      default: return false
      }
    case .constant, .not, .block: return false
    }
  }
}

/// A select over the members of to-many relationships.
struct SQLMembers {
  /// The select, without a condition on the owner.
  var select: SelectStatement
  /// The column with the owner's key.
  let link: SQLExpression
  /// The owner's key in the outer select.
  let ownerKey: SQLExpression
  /// Whether a condition or a column mentions the owner, or a table further out.
  let isCorrelated: Bool

  /// The select of the members of the outer row.
  var ofOwner: SelectStatement {
    var select = select
    select.conditions.insert(.infix(link, "=", ownerKey), at: 0)
    return select
  }

  /// The select of the keys of all owners that have such a member.
  var owners: SelectStatement {
    var select = select
    select.columns = [link]
    return select
  }
}

extension ExpressionNode {
  /// The collection that the expression counts; nil for other expressions.
  fileprivate var countedCollection: ExpressionNode? {
    switch self {
    case .keyPath(let path) where path.count > 1 && path.last == "@count": .keyPath(path.dropLast())
    case .nested(let base, ["@count"]): base
    case .nested(let base, let path) where path.last == "@count": .nested(base, path.dropLast())
    case .function("count:", let arguments) where arguments.count == 1: arguments[0]
    case .index(let base, .size): base
    default: nil
    }
  }

  fileprivate var isCountCall: Bool { if case .function("count:", _) = self { true } else { false } }

  fileprivate var constantNumber: Double? {
    switch self {
    case .constant(.int(let value)): Double(value)
    case .constant(.double(let value)): value
    default: nil
    }
  }
}

extension EntityLayout {
  /// Whether an index of the model begins with the attribute.
  fileprivate func isIndexed(_ name: String) -> Bool {
    var entity: NSEntityDescription? = self.entity
    while let next = entity {
      let leads = next.indexes.contains { index in
        index.elements.first.map { $0.propertyName == name && $0.collationType == .binary } ?? false
      }
      if leads
        || next.constraintNames.contains(where: { $0.first == name })
        || next.ownProperties.contains(where: { $0.name == name && $0.isIndexed })
      {
        return true
      }
      entity = next.superentity
    }
    return false
  }

  /// Whether an index gives the rows in the order of a sort key, so that not all of them have to be read.
  func isOrdered(by key: SortKey) -> Bool {
    guard key.collation == .binary, key.path.count <= 1 else { return false }
    guard let name = key.path.first, name != "objectID" else { return true }
    return property(named: name)?.kind == .toOne || isIndexed(name)
  }
}
