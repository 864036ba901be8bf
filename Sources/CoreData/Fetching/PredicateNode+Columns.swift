/// Columns of dictionaries and having predicates, which are about many rows at once.
extension PredicateNode {
  /// Replaces the names of columns by their expressions, in `n > 1` and in `$n > 1`, which `NSExpression(forVariable:
  /// "n")` writes. Names within aggregates are those of properties.
  func replacingColumns(_ columns: [DictionaryFetch.Column]) -> PredicateNode {
    replacing { node in
      switch node {
      case _ where node.aggregateOfRows != nil: return node
      case .variable(let name): return columns.first { $0.name == name }?.expression
      case .keyPath(let path) where path.count == 1: return columns.first { $0.name == path[0] }?.expression
      default: return nil
      }
    }
  }
}

extension ExpressionNode {
  /// The aggregate over all rows, or those of a group, and its operand: `sum:(pages)`, or `@sum.pages`, which starts at
  /// no object. nil for other expressions.
  var aggregateOfRows: (aggregate: Aggregate, of: ExpressionNode)? {
    switch self {
    case .function(let selector, let arguments):
      guard arguments.count == 1,
        let aggregate = PredicateFunction(rawValue: selector).flatMap(Aggregate.init)
      else {
        return nil
      }
      return (aggregate, arguments[0])
    case .keyPath(let path):
      guard let aggregate = Aggregate(collectionOperator: path[0]) else { return nil }
      if path.count > 1 { return (aggregate, .keyPath(Array(path.dropFirst()))) }
      return aggregate == .count ? (.count, .evaluatedObject) : nil
    default: return nil
    }
  }

  /// The rows that the expression is about, ignoring operands of aggregates.
  var rowUse: RowUse {
    if aggregateOfRows != nil { return .ofMany }
    var use: RowUse = []
    switch self {
    case .keyPath, .evaluatedObject: use = .ofEach
    default: break
    }
    forEachChild({ use.formUnion($0.rowUse) }, conditions: { use.formUnion($0.rowUse) })
    return use
  }
}

extension PredicateNode {
  fileprivate var rowUse: RowUse {
    var use: RowUse = []
    forEachChild({ use.formUnion($0.rowUse) }, conditions: { use.formUnion($0.rowUse) })
    return use
  }
}

/// The rows that the parts of an expression are about.
struct RowUse: OptionSet {
  let rawValue: Int
  static let ofEach = RowUse(rawValue: 1)
  static let ofMany = RowUse(rawValue: 2)
}

extension DictionaryFetch {
  /// The having predicate with the names of columns replaced by their expressions.
  var groupCondition: PredicateNode? { having?.replacingColumns(columns) }

  /// Whether the result is one dictionary for all rows.
  var isOneRow: Bool { groupBy.isEmpty && columns.allSatisfy { $0.expression.rowUse == .ofMany } }

  /// Whether aggregates over all rows are mixed with values of each row.
  var repeatsAggregates: Bool {
    guard groupBy.isEmpty else { return false }
    let uses = columns.map(\.expression.rowUse)
    return uses.contains { $0.contains(.ofMany) } && !uses.allSatisfy { $0 == .ofMany }
  }

  /// Throws an error for aggregates that no store supports: some in groups, and those of objects, which can only be
  /// counted.
  func checkAggregates(_ layout: EntityLayout) throws {
    if groupBy.contains(where: { $0.rowUse.contains(.ofMany) }) {
      throw Failure.malformedFetchRequest(entity: layout.name, what: "rows can't be grouped by an aggregate")
        .nsError
    }
    func check(_ node: ExpressionNode) throws -> ExpressionNode? {
      guard let (aggregate, argument) = node.aggregateOfRows else { return nil }
      if aggregate != .count, layout.hasObjects(at: argument) {
        throw Failure.malformedFetchRequest(
          entity: layout.name, what: "\(PredicatePrinter.print(node)): objects can only be counted"
        ).nsError
      }
      return node
    }
    for column in columns { _ = try column.expression.replacing(check) }
    _ = try groupCondition?.replacing(check)
  }
}

extension EntityLayout {
  /// Whether an expression leads to objects.
  fileprivate func hasObjects(at node: ExpressionNode) -> Bool {
    switch node {
    case .evaluatedObject: return true
    case .keyPath(let path):
      var layout = self
      for name in path {
        guard let property = layout.property(named: name) else { return name == "objectID" || name == "self" }
        guard property.isRelationship else { return false }
        layout = layout.model.layouts[property.destination]
      }
      return true
    default: return false
    }
  }
}
