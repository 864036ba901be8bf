internal import CSQLite

/// A fetch of dictionaries: its statement, and how the columns become values.
///
/// Without groups, aggregates beside plain columns repeat the aggregate of the whole table in each row.
struct DictionaryQuery {
  private struct Column {
    let name: String
    let kind: SlotKind?
    let type: NSAttributeType?
    /// The destination, for object ids.
    let reference: EntityLayout?
    /// The column with the Z_ENT of the destination's row, where it has subentities.
    let entityColumn: Int32
  }

  let select: SelectStatement
  private let columns: [Column]

  init(_ planner: FetchPlanner, _ fetch: FetchDescription, _ request: DictionaryFetch, _ query: RowQuery) throws {
    let scope = QueryScope(planner.schema, fetch.layout)
    let isGrouped = !request.groupBy.isEmpty
    let aggregates = request.columns.map { DictionaryQuery.aggregate($0.expression) != nil }
    let isMixed = !isGrouped && aggregates.contains(true) && aggregates.contains(false)
    var columns: [Column] = []
    var entityColumns: [SQLFragment] = []
    var select = SelectStatement()
    select.table = "\(query.entity.table) t0"
    select.isDistinct = request.isDistinct
    for column in request.columns {
      let (value, operand) = try DictionaryQuery.value(column.expression, planner.translator, scope)
      var text = value
      if isMixed, DictionaryQuery.aggregate(column.expression) != nil {
        text = try DictionaryQuery.wholeTable(column.expression, planner, fetch, query)
      }
      select.columns.append(SQLFragment(String(text.sql.drop { $0 == " " }), text.bindings))
      var reference: EntityLayout?
      var kind: SlotKind?
      if case .reference(_, let layout) = operand { reference = layout }
      if case .value(_, let found) = operand { kind = found }
      let isTyped = column.type.map { $0 != .undefinedAttributeType && $0 != .objectIDAttributeType } ?? false
      var entityColumn: Int32 = -1
      if let reference, reference.hasSubentities {
        let table = try planner.schema.entity(reference).table
        entityColumn = Int32(request.columns.count + entityColumns.count)
        entityColumns.append("(SELECT Z_ENT FROM \(table) WHERE Z_PK =\(value))")
      }
      columns.append(
        Column(
          name: column.name, kind: kind, type: isTyped ? column.type : nil, reference: reference,
          entityColumn: entityColumn))
    }
    select.columns += entityColumns
    try planner.addConditions(fetch, query, scope, to: &select)
    select.groupBy = try request.groupBy.map {
      try planner.translator.fragment(planner.translator.operand($0, scope), scope)
    }
    select.having = try request.having.map { try DictionaryQuery.having($0, request, planner, scope) }
    select.order = try fetch.sort.map { try planner.order($0, scope) }
    select.joins = scope.joins
    select.limit = fetch.limit
    select.offset = fetch.offset
    self.select = select
    self.columns = columns
  }

  // Expressions.

  /// The aggregate function that an expression is over all rows, and its argument.
  private static func aggregate(_ node: ExpressionNode) -> (function: String, argument: ExpressionNode)? {
    switch node {
    case .function(let selector, let arguments) where arguments.count == 1:
      let names = ["count:": "COUNT", "sum:": "SUM", "min:": "MIN", "max:": "MAX", "average:": "AVG"]
      return names[selector].map { ($0, arguments[0]) }
    case .keyPath(let path) where path.count >= 2 && path[0].hasPrefix("@"):
      let names = ["@count": "COUNT", "@sum": "SUM", "@min": "MIN", "@max": "MAX", "@avg": "AVG"]
      return names[path[0]].map { ($0, .keyPath(Array(path.dropFirst()))) }
    default: return nil
    }
  }

  private static func value(
    _ node: ExpressionNode, _ translator: PredicateTranslator, _ scope: QueryScope
  ) throws -> (SQLFragment, SQLOperand) {
    guard let (function, argument) = aggregate(node) else {
      let operand = try translator.operand(node, scope)
      return (try translator.fragment(operand, scope), operand)
    }
    let operand = try translator.operand(argument, scope)
    if case .collection = operand {
      // The links of all rows.
      let links = try translator.operand(.function("count:", [argument]), scope)
      guard function == "COUNT" else {
        throw PredicateTranslator.unsupported("\(function) of a to-many relationship in a dictionary fetch", scope)
      }
      let value: SQLFragment = " IFNULL(SUM(\(try translator.fragment(links, scope))), 0)"
      return (value, .value(value, .int64))
    }
    let inner = try translator.fragment(operand, scope)
    var kind: SlotKind?
    if case .value(_, let found) = operand { kind = found }
    switch function {
    case "COUNT": kind = .int64
    case "AVG": kind = .double
    default: break
    }
    let value: SQLFragment = function == "SUM" ? " IFNULL(SUM(\(inner)), 0)" : " \(function)(\(inner))"
    return (value, .value(value, kind))
  }

  /// An aggregate over all rows of the fetch, as a select of its own.
  private static func wholeTable(
    _ node: ExpressionNode, _ planner: FetchPlanner, _ fetch: FetchDescription, _ query: RowQuery
  ) throws -> SQLFragment {
    let scope = QueryScope(planner.schema, fetch.layout)
    var select = SelectStatement()
    select.table = "\(query.entity.table) t0"
    let aggregate = try value(node, planner.translator, scope).0
    select.columns = [SQLFragment(String(aggregate.sql.drop { $0 == " " }), aggregate.bindings)]
    try planner.addConditions(fetch, query, scope, to: &select)
    select.joins = scope.joins
    return " (\(select.fragment))"
  }

  /// A having predicate: aggregates in it are of the group, other names may be those of columns.
  private static func having(
    _ node: PredicateNode, _ request: DictionaryFetch, _ planner: FetchPlanner, _ scope: QueryScope
  ) throws -> SQLFragment {
    switch node {
    case .constant(let value): return value ? .always : .never
    case .not(let member): return " NOT IFNULL((\(try having(member, request, planner, scope))), 0)"
    case .and(let members), .or(let members):
      let conditions = try members.map { try having($0, request, planner, scope) }
      var isAnd = false
      if case .and = node { isAnd = true }
      return "(\(SQLFragment(conditions, separator: isAnd ? " AND " : " OR ")))"
    case .block: throw PredicateTranslator.unsupported("A block", scope)
    case .comparison(let comparison):
      func side(_ expression: ExpressionNode) throws -> SQLOperand {
        if case .keyPath(let path) = expression, path.count == 1,
          let column = request.columns.first(where: { $0.name == path[0] })
        {
          return try having(column.expression)
        }
        return try having(expression)
      }
      func having(_ expression: ExpressionNode) throws -> SQLOperand {
        let (value, operand) = try value(expression, planner.translator, scope)
        if case .constant = operand { return operand }
        if aggregate(expression) == nil { return operand }
        if case .value(_, let kind) = operand { return .value(value, kind) }
        return operand
      }
      return try planner.translator.single(
        comparison, side(comparison.left), side(comparison.right), scope, negated: false)
    }
  }

  // Results.

  /// The rows as dictionaries; null has no key.
  ///
  /// Made of what a dictionary holds in the end: out of Swift dictionaries Foundation would box each key for each row,
  /// and out of an array of `Any` it would look for the class of each value, which costs as much as the rest.
  func dictionaries(_ statement: Statement, _ store: SQLiteStore) throws -> [NSDictionary] {
    let names: [NSObject] = columns.map { NSString(string: $0.name) }
    var rows: [NSDictionary] = []
    var keys: [NSObject] = []
    var values: [AnyObject] = []
    while try statement.step() {
      keys.removeAll(keepingCapacity: true)
      values.removeAll(keepingCapacity: true)
      for (index, column) in columns.enumerated() where !statement.isNull(Int32(index)) {
        guard let value = try value(statement, Int32(index), column, store) else { continue }
        keys.append(names[index])
        values.append(value)
      }
      rows.append(NSDictionary(objects: values, forKeys: keys, count: keys.count))
    }
    return rows
  }

  private func value(
    _ statement: Statement, _ index: Int32, _ column: Column, _ store: SQLiteStore
  ) throws -> NSObject? {
    if let layout = column.reference {
      guard statement.int(index) > 0 else { return nil }
      let actual = column.entityColumn < 0 ? nil : store.schema.index(ofNumber: Int(statement.int(column.entityColumn)))
      return NSManagedObjectID(
        layout: actual.map { layout.model.layouts[$0] } ?? layout, key: statement.int(index), store: store.identity)
    }
    if let type = column.type { return DictionaryQuery.value(statement, index, type) }
    switch column.kind {
    case .int16?, .int32?, .int64?: return NSNumber(value: statement.int(index))
    case .boolean?: return NSNumber(value: statement.int(index) != 0)
    case .double?, .float?: return NSNumber(value: statement.double(index))
    case .date?: return NSDate(timeIntervalSinceReferenceDate: statement.double(index))
    case .string?: return statement.text(index).map(NSString.init(string:))
    case .uri?: return statement.text(index).flatMap(URL.init(string:)).map { $0 as NSURL }
    case .uuid?: return DictionaryQuery.value(statement, index, .UUIDAttributeType)
    case .decimal?: return DictionaryQuery.value(statement, index, .decimalAttributeType)
    case .binary?, .transformable?: return Data(statement.blobBytes(index)) as NSData
    default: return DictionaryQuery.natural(statement, index)
    }
  }

  /// A value as the column description declares it: an average as an integer is cut, a number as a string is text.
  private static func value(_ statement: Statement, _ index: Int32, _ type: NSAttributeType) -> NSObject? {
    switch type {
    case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType:
      return NSNumber(value: statement.int(index))
    case .doubleAttributeType, .floatAttributeType: return NSNumber(value: statement.double(index))
    case .booleanAttributeType: return NSNumber(value: statement.int(index) != 0)
    case .stringAttributeType: return statement.text(index).map(NSString.init(string:))
    case .dateAttributeType: return NSDate(timeIntervalSinceReferenceDate: statement.double(index))
    case .decimalAttributeType:
      let type = sqlite3_column_type(statement.handle, index)
      return NSDecimalNumber(decimal: RowDecoder.decimal(statement, index, type))
    case .UUIDAttributeType:
      let bytes = statement.blobBytes(index)
      return bytes.count == 16 ? bytes.loadUnaligned(as: UUID.self) as NSUUID : nil
    case .URIAttributeType: return statement.text(index).flatMap(URL.init(string:)).map { $0 as NSURL }
    case .binaryDataAttributeType, .transformableAttributeType: return Data(statement.blobBytes(index)) as NSData
    default: return natural(statement, index)
    }
  }

  /// A computed value in SQLite's own type.
  private static func natural(_ statement: Statement, _ index: Int32) -> NSObject? {
    switch sqlite3_column_type(statement.handle, index) {
    case SQLITE_INTEGER: NSNumber(value: statement.int(index))
    case SQLITE_FLOAT: NSNumber(value: statement.double(index))
    case SQLITE_TEXT: statement.text(index).map(NSString.init(string:))
    default: Data(statement.blobBytes(index)) as NSData
    }
  }
}
