/// Dictionary results: columns, groups, aggregates.
extension MemoryFetch {
  /// Rows that become one dictionary: a group, or a single row.
  fileprivate struct Group: PredicateSubject {
    let rows: [RowSnapshot]
    let view: MemoryView
    /// The columns' values by name.
    var values: [String: PredicateValue] = [:]

    /// A column of the result, else a property of the group's rows, which in SQL is that of any of them.
    func predicateValue(for key: PredicateKey) throws -> PredicateValue {
      if let value = values[key.name] { return value }
      guard let row = rows.first else { return .null }
      return try MemorySubject(row: row, view: view).predicateValue(for: key)
    }

    var predicateIdentity: AnyHashable? { nil }
  }

  func dictionaries(_ fetch: DictionaryFetch, _ found: [RowSnapshot]) throws -> [[String: Any]] {
    let columns = try fetch.columns.map { try MemoryColumn($0, description.layout) }
    var groups = try grouped(fetch, found, isAggregate: columns.allSatisfy(\.isAggregate))
    // Without groups, aggregates beside plain columns repeat the aggregate of all rows in each.
    let isMixed = fetch.groupBy.isEmpty && columns.contains { $0.isAggregate } && !columns.allSatisfy(\.isAggregate)
    for column in columns {
      let whole = isMixed && column.isAggregate ? try column.value(of: found, view) : nil
      for index in groups.indices {
        groups[index].values[column.name] = try whole ?? column.value(of: groups[index].rows, view)
      }
    }
    if let having = fetch.having { groups = try chosen(groups, having) }
    let rows = try sorted(groups) { $0 }.map { group -> [String: Any] in
      var row: [String: Any] = [:]
      for column in columns { row[column.name] = column.boxed(group.values[column.name] ?? .null) }
      return row
    }
    guard fetch.isDistinct else { return rows }
    // As SQLite compares: texts by their bytes, which Foundation's dictionaries don't.
    var seen: Set<[PredicateConstant]> = []
    return rows.filter { row in seen.insert(columns.map { PredicateConstant(any: row[$0.name]) }).inserted }
  }

  /// The groups that a having predicate takes. Aggregates on the sides of its comparisons are of the group's rows.
  private func chosen(_ groups: [Group], _ having: PredicateNode) throws -> [Group] {
    var aggregates: [MemoryColumn] = []
    let plain = try having.replacingSides { side in
      if side.aggregate == nil { return side }
      // No property has such a name.
      let name = "aggregate \(aggregates.count)"
      aggregates.append(try MemoryColumn(.init(name: name, expression: side, type: nil), description.layout))
      return .keyPath([name])
    }
    let evaluator = try PredicateEvaluator(plain)
    return try groups.filter { group in
      var group = group
      for column in aggregates { group.values[column.name] = try column.value(of: group.rows, view) }
      return try evaluator.matches(group)
    }
  }

  /// Groups in the order of their first rows. Without properties to group by, aggregates alone take all rows as one
  /// group; else each row is its own.
  private func grouped(_ fetch: DictionaryFetch, _ found: [RowSnapshot], isAggregate: Bool) throws -> [Group]
  {
    if fetch.groupBy.isEmpty {
      if isAggregate { return [Group(rows: found, view: view)] }
      return found.map { Group(rows: [$0], view: view) }
    }
    var order: [[PredicateConstant]] = []
    var members: [[PredicateConstant]: [RowSnapshot]] = [:]
    let terms = try fetch.groupBy.map(MemoryTerm.init)
    for row in found {
      let key = try terms.map { term -> PredicateConstant in
        switch try term.value(of: row, view) {
        case .subject(let subject): return .object(subject.predicateObject as AnyObject)
        case let value: return value.constant
        }
      }
      if members[key] == nil { order.append(key) }
      members[key, default: []].append(row)
    }
    return order.map { Group(rows: members[$0]!, view: view) }
  }
}

/// An expression over rows, compiled once.
private struct MemoryTerm {
  private let term: Term

  init(_ expression: ExpressionNode) throws {
    var compiler = PredicateCompiler(variables: [:])
    term = try compiler.term(expression)
  }

  func value(of row: RowSnapshot, _ view: MemoryView) throws -> PredicateValue {
    var frame = EvaluationFrame(root: .subject(MemorySubject(row: row, view: view)))
    return try term(&frame)
  }
}

/// A column of a dictionary fetch.
private struct MemoryColumn {
  let name: String
  private let column: DictionaryFetch.Column
  /// `count:`, `sum:` and such over the rows of a group.
  private let aggregate: PredicateFunction?
  /// The column's expression, or what is counted or summed.
  private let term: MemoryTerm

  var isAggregate: Bool { aggregate != nil }

  init(_ column: DictionaryFetch.Column, _ layout: EntityLayout) throws {
    self.column = column
    name = column.name
    let found = column.expression.aggregate
    aggregate = found?.function
    term = try MemoryTerm(found?.of ?? column.expression)
    if case .keyPath(let path) = column.expression, path.count == 1,
      layout.property(named: path[0])?.kind == .toMany
    {
      throw Failure.malformedFetchRequest(
        entity: layout.name,
        what: "the to-many relationship \"\(path[0])\" cannot be a column of dictionaries"
      ).nsError
    }
  }

  func value(of rows: [RowSnapshot], _ view: MemoryView) throws -> PredicateValue {
    guard let aggregate else { return try rows.first.map { try term.value(of: $0, view) } ?? .null }
    let values = try rows.map { try term.value(of: $0, view) }.flatMap { $0.members ?? [$0] }.filter {
      !$0.isNull
    }
    if aggregate != .count, aggregate != .sum, values.isEmpty { return .null }
    return try FunctionEvaluation.of(aggregate)([.values(values)])
  }

  /// The value as key-value coding has it; nil for none.
  func boxed(_ value: PredicateValue) -> Any? {
    switch value {
    case .subject(let subject): return subject.predicateObject
    case .constant(.null): return nil
    case .constant(.int(let value)): return number(Double(value), NSNumber(value: value))
    case .constant(.bool(let value)): return NSNumber(value: value)
    case .constant(.double(let value)): return number(value, NSNumber(value: value))
    case .constant(.decimal(let value)): return NSDecimalNumber(decimal: value)
    default: return value.anyValue
    }
  }

  /// A number as the declared type has it.
  private func number(_ value: Double, _ plain: NSNumber) -> Any {
    switch column.type {
    case .integer16AttributeType?, .integer32AttributeType?, .integer64AttributeType?:
      return NSNumber(value: Int64(exactly: value.rounded(.towardZero)) ?? plain.int64Value)
    case .doubleAttributeType?: return NSNumber(value: value)
    case .floatAttributeType?: return NSNumber(value: Float(value))
    case .booleanAttributeType?: return NSNumber(value: value != 0)
    case .decimalAttributeType?: return NSDecimalNumber(decimal: plain.decimalValue)
    case .dateAttributeType?: return Date(timeIntervalSinceReferenceDate: value)
    default: return plain
    }
  }
}

extension ExpressionNode {
  /// An aggregate over the rows of a group: the function and its operand.
  fileprivate var aggregate: (function: PredicateFunction, of: ExpressionNode)? {
    guard case .function(let selector, let arguments) = self, arguments.count == 1,
      let function = PredicateFunction(rawValue: selector)
    else { return nil }
    switch function {
    case .sum, .count, .min, .max, .average: return (function, arguments[0])
    default: return nil
    }
  }
}
