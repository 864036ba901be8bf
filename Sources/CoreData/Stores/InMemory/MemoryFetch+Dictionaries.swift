/// Dictionary results: columns, groups and aggregates.
extension MemoryFetch {
  /// The rows that become one dictionary: a group, or a single row.
  fileprivate struct Group: PredicateSubject {
    let rows: [RowSnapshot]
    let view: MemoryView
    /// The values of the columns, by name.
    var values: [String: PredicateValue] = [:]

    /// The value of a column, or else of a property of the group's rows. As in SQL, any row of the group may provide
    /// it.
    func predicateValue(for key: PredicateKey) throws -> PredicateValue {
      if let value = values[key.name] { return value }
      guard let row = rows.first else { return .null }
      return try MemorySubject(row: row, view: view).predicateValue(for: key)
    }

    var predicateIdentity: AnyHashable? { nil }
  }

  func dictionaries(_ fetch: DictionaryFetch, _ found: [RowSnapshot]) throws -> [[String: Any]] {
    let columns = try fetch.columns.map { try MemoryColumn($0, description.layout) }
    var groups = try grouped(fetch, found)
    let repeatsAggregates = fetch.repeatsAggregates
    for column in columns {
      let whole = repeatsAggregates ? try column.aggregates.values(of: found, view) : nil
      for index in groups.indices {
        let rows = groups[index].rows
        groups[index].values[column.name] = try column.value(
          of: rows, aggregates: whole ?? column.aggregates.values(of: rows, view), view)
      }
    }
    if let having = fetch.groupCondition { groups = try chosen(groups, having) }
    let rows = try sorted(groups) { $0 }.map { group -> [String: Any] in
      var row: [String: Any] = [:]
      for column in columns { row[column.name] = column.boxed(group.values[column.name] ?? .null) }
      return row
    }
    guard fetch.isDistinct else { return rows }
    // Compares as SQLite does: text byte by byte, unlike Foundation's dictionaries.
    var seen: Set<[PredicateConstant]> = []
    return rows.filter { row in
      seen.insert(columns.map { PredicateConstant(any: row[$0.name]).distinction }).inserted
    }
  }

  /// The groups that meet a having predicate.
  private func chosen(_ groups: [Group], _ having: PredicateNode) throws -> [Group] {
    var aggregates = MemoryAggregates()
    let evaluator = try PredicateEvaluator(having.replacing { try aggregates.replacing($0) })
    return try groups.filter { group in
      let values = try aggregates.values(of: group.rows, view)
      return try evaluator.matches(Group(rows: group.rows, view: view, values: values))
    }
  }

  /// The groups in the order of their first rows. Without properties to group by, all rows are one group if there are
  /// only aggregates; otherwise each row is a group.
  private func grouped(_ fetch: DictionaryFetch, _ found: [RowSnapshot]) throws -> [Group] {
    if fetch.isOneRow { return [Group(rows: found, view: view)] }
    if fetch.groupBy.isEmpty { return found.map { Group(rows: [$0], view: view) } }
    var order: [[PredicateConstant]] = []
    var members: [[PredicateConstant]: [RowSnapshot]] = [:]
    let terms = try fetch.groupBy.map(MemoryTerm.init)
    for row in found {
      let key = try terms.map { term -> PredicateConstant in
        switch try term.value(of: row, view) {
        case .subject(let subject): return .object(subject.predicateObject as AnyObject)
        case let value: return value.constant.distinction
        }
      }
      if members[key] == nil { order.append(key) }
      members[key, default: []].append(row)
    }
    return order.map { Group(rows: members[$0]!, view: view) }
  }
}

/// An expression to evaluate for rows, compiled once.
private struct MemoryTerm {
  private let term: Term

  init(_ expression: ExpressionNode) throws {
    var compiler = PredicateCompiler(variables: [:])
    term = try compiler.term(expression)
  }

  func value(of row: RowSnapshot, _ view: MemoryView) throws -> PredicateValue {
    try value(of: MemorySubject(row: row, view: view))
  }

  func value(of subject: some PredicateSubject) throws -> PredicateValue {
    var frame = EvaluationFrame(root: .subject(subject))
    return try term(&frame)
  }
}

/// The aggregates in an expression or a predicate. A name takes the place of each.
private struct MemoryAggregates {
  private var members: [(name: String, aggregate: Aggregate, term: MemoryTerm)] = []

  /// The name that takes the place of an aggregate; nil for another expression.
  mutating func replacing(_ node: ExpressionNode) throws -> ExpressionNode? {
    guard let (aggregate, operand) = node.aggregateOfRows else { return nil }
    // No property can have such a name.
    let name = "aggregate \(members.count)"
    members.append((name, aggregate, try MemoryTerm(operand)))
    return .keyPath([name])
  }

  /// The values of the aggregates for some rows, by name. Nils are left out, and each member of a collection counts as
  /// a value.
  func values(of rows: [RowSnapshot], _ view: MemoryView) throws -> [String: PredicateValue] {
    var values: [String: PredicateValue] = [:]
    for (name, aggregate, term) in members {
      let found = try rows.map { try term.value(of: $0, view) }.flatMap { $0.members ?? [$0] }
      values[name] = .constant(aggregate.value(of: found.filter { !$0.isNull }.map(\.constant)))
    }
    return values
  }
}

/// A column of a dictionary fetch.
private struct MemoryColumn {
  let name: String
  /// The declared type, or else that of the values, where they don't tell it.
  private let kind: SlotKind?
  private(set) var aggregates = MemoryAggregates()
  /// The column's expression, with names in the place of its aggregates.
  private let term: MemoryTerm

  init(_ column: DictionaryFetch.Column, _ layout: EntityLayout) throws {
    name = column.name
    let declared = column.type.map(SlotKind.init) ?? .undefined
    if declared == .undefined, case (.sum, .keyPath(let path))? = column.expression.aggregateOfRows {
      // The sum of no decimals is a decimal, too.
      kind = layout.attribute(path)?.kind == .decimal ? .decimal : nil
    } else {
      kind = declared
    }
    var aggregates = MemoryAggregates()
    term = try MemoryTerm(column.expression.replacing { try aggregates.replacing($0) })
    self.aggregates = aggregates
    if case .keyPath(let path) = column.expression, path.count == 1,
      layout.property(named: path[0])?.kind == .toMany
    {
      throw Failure.malformedFetchRequest(
        entity: layout.name,
        what: "the to-many relationship \"\(path[0])\" cannot be a column of dictionaries")
    }
  }

  func value(
    of rows: [RowSnapshot], aggregates: [String: PredicateValue], _ view: MemoryView
  ) throws -> PredicateValue {
    if aggregates.isEmpty { return try rows.first.map { try term.value(of: $0, view) } ?? .null }
    return try term.value(of: MemoryFetch.Group(rows: rows, view: view, values: aggregates))
  }

  /// The value for key-value coding, in the column's type; nil if there is none.
  func boxed(_ value: PredicateValue) -> Any? {
    guard let kind, case .constant(let constant) = value else { return value.anyValue }
    return kind.boxed(constant) ?? value.anyValue
  }
}

extension SlotKind {
  /// A value in a column that is declared to be of this kind, as SQLite converts it; nil if it stays what it is.
  fileprivate func boxed(_ constant: PredicateConstant) -> Any? {
    switch form {
    case .integer:
      // A large number has no exact floating one.
      if case .decimal(let decimal) = constant, let whole = Int64(decimal.description) { return boxed(whole: whole) }
      return constant.number == nil ? nil : FunctionEvaluation.integer(.constant(constant)).map(boxed(whole:))
    case .real: return constant.number.map(boxed(real:))
    case .decimal:
      switch constant {
      case .int(let value): return NSDecimalNumber(decimal: Decimal(value))
      case .decimal(let value): return NSDecimalNumber(decimal: value)
      default: return constant.number.map { NSDecimalNumber(decimal: Decimal(string: $0.columnText) ?? .nan) }
      }
    case .text:
      switch constant {
      case .double, .date: return self == .string ? constant.number?.columnText : nil
      case .string(let text) where self == .uri: return URL(string: text)
      default: return self == .string ? ValueComparison.text(of: constant) : nil
      }
    case .uuid, .bytes, .destination, .none: return nil
    }
  }

  /// As in SQLite, an integer of any length.
  private func boxed(whole value: Int64) -> NSNumber {
    self == .boolean ? NSNumber(value: value != 0) : NSNumber(value: value)
  }
}
