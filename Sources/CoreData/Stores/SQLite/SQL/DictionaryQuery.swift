internal import CSQLite

/// A fetch of dictionaries: its statement, and how the columns become values.
///
/// Without groups, an aggregate beside plain columns repeats the aggregate of all fetched rows in each row.
package struct DictionaryQuery {
  package struct Column {
    package let name: String
    /// The type that the column description declares, or else the value's own. An average declared as an integer is
    /// cut; a number declared as a string becomes text.
    package let kind: SlotKind?
    /// The destination entity, if the column holds object ids.
    package let reference: EntityLayout?
    /// The column with the Z_ENT of the destination's row, if the destination has subentities; otherwise -1.
    package let entityColumn: Int32
    /// The transformable attribute whose values the column holds.
    let transformable: LayoutProperty?

    /// What a program gets for data: the object of a transformable attribute, or else the data.
    package func object(_ data: Data, store: StoreIdentity) throws -> AnyObject? {
      guard let transformable else { return data as NSData }
      return try transformable.attribute.value(ofTransformable: data, store: store.store?.url).map { $0 as AnyObject }
    }
  }

  package let select: SelectStatement
  package let columns: [Column]

  package init(_ planner: FetchPlanner, fetch: FetchDescription, request: DictionaryFetch, query: RowQuery) throws {
    let translator = planner.translator
    let scope = QueryScope(planner.schema, fetch.layout)
    var select = SelectStatement(from: .named(query.entity.table, as: "t0"))
    select.isDistinct = request.isDistinct
    var aggregates = QueryScope.RowAggregates.ofGroup
    if request.repeatsAggregates {
      aggregates = .other { try DictionaryQuery.wholeTable($0, planner: planner, fetch: fetch, query: query) }
    }
    var columns: [Column] = []
    var entityColumns: [SQLExpression] = []
    for column in request.columns {
      let operand = try scope.withAggregates(aggregates) { try translator.operand(column.expression, scope) }
      let value = try translator.expression(operand, scope)
      select.columns.append(value)
      var reference: EntityLayout?
      var kind: SlotKind?
      if case .reference(_, let layout) = operand { reference = layout }
      if case .value(_, let found) = operand { kind = found }
      let declared = column.type.map(SlotKind.init) ?? .undefined
      var entityColumn: Int32 = -1
      if let reference, reference.hasSubentities {
        entityColumn = Int32(request.columns.count + entityColumns.count)
        var entity = SelectStatement(
          [.word("Z_ENT")], from: .named(try planner.schema.entity(reference).table, as: ""))
        entity.conditions = [.infix(.word("Z_PK"), "=", value)]
        entityColumns.append(.select(entity))
      }
      columns.append(
        Column(
          name: column.name, kind: declared == .undefined ? kind : declared, reference: reference,
          entityColumn: entityColumn,
          transformable: declared == .undefined || declared == .transformable
            ? DictionaryQuery.transformable(column.expression, fetch.layout) : nil))
    }
    select.columns += entityColumns
    try planner.addConditions(fetch, query: query, scope: scope, to: &select)
    select.groupBy = try request.groupBy.map { try translator.expression(translator.operand($0, scope), scope) }
    select.having = try request.groupCondition.map { having in
      try scope.withAggregates(.ofGroup) { try translator.condition(having, scope) }
    }
    select.order = try fetch.sort.map { try planner.order($0, scope) }
    if translator.dialect == .postgreSQL, !select.groupBy.isEmpty { select.orderGroups() }
    // Groups, distinct results and an aggregate of all rows have no key.
    if request.groupBy.isEmpty, !request.isDistinct, !request.isOneRow { planner.orderByKey(fetch, &select) }
    select.joins = scope.joins
    select.limit = fetch.limit
    select.offset = fetch.offset
    self.select = select
    self.columns = columns
  }

  private static func transformable(_ node: ExpressionNode, _ layout: EntityLayout) -> LayoutProperty? {
    guard case .keyPath(let path) = node, let found = layout.attribute(path) else { return nil }
    return found.kind == .transformable ? found : nil
  }

  /// An aggregate over all rows of the fetch, as a separate select.
  private static func wholeTable(
    _ node: ExpressionNode, planner: FetchPlanner, fetch: FetchDescription, query: RowQuery
  ) throws -> SQLOperand {
    let scope = QueryScope(planner.schema, fetch.layout)
    let operand = try scope.withAggregates(.ofGroup) { try planner.translator.operand(node, scope) }
    var select = SelectStatement(
      [try planner.translator.expression(operand, scope)], from: .named(query.entity.table, as: "t0"))
    try planner.addConditions(fetch, query: query, scope: scope, to: &select)
    select.joins = scope.joins
    return .value(.select(select), operand.kind)
  }

  // Results.

  /// The rows as dictionaries, which have no key for a null.
  ///
  /// They are made from arrays of objects. From a Swift dictionary, Foundation would box each key for each row. From an
  /// array of `Any` it would look up the class of each value, which costs as much as everything else here.
  func dictionaries(_ statement: Statement, _ store: SQLiteStore) throws -> [NSDictionary] {
    let names: [NSObject] = columns.map { NSString(string: $0.name) }
    var rows: [NSDictionary] = []
    var keys: [NSObject] = []
    var values: [AnyObject] = []
    while try statement.step() {
      keys.removeAll(keepingCapacity: true)
      values.removeAll(keepingCapacity: true)
      for (index, column) in columns.enumerated() where !statement.isNull(Int32(index)) {
        guard let value = try value(statement, index: Int32(index), column: column, store: store) else { continue }
        keys.append(names[index])
        values.append(value)
      }
      rows.append(NSDictionary(objects: values, forKeys: keys, count: keys.count))
    }
    return rows
  }

  private func value(
    _ statement: Statement, index: Int32, column: Column, store: SQLiteStore
  ) throws -> AnyObject? {
    if let layout = column.reference {
      guard statement.int(index) > 0 else { return nil }
      let actual = column.entityColumn < 0 ? nil : store.schema.index(ofNumber: Int(statement.int(column.entityColumn)))
      return NSManagedObjectID(
        layout: actual.map { layout.model.layouts[$0] } ?? layout, key: statement.int(index), store: store.identity)
    }
    guard let kind = column.kind else { return DictionaryQuery.natural(statement, index) }
    switch kind.form {
    case .integer:
      let number = statement.int(index)
      return kind == .boolean ? NSNumber(value: number != 0) : NumberObject.int64(number)
    case .real:
      let number = statement.double(index)
      return kind == .date ? NSDate(timeIntervalSinceReferenceDate: number) : NumberObject.double(number)
    case .text:
      guard let text = statement.text(index) else { return nil }
      if kind == .uri { return URL(string: text).map { $0 as NSURL } }
      return NSString(string: text)
    case .uuid:
      let bytes = statement.blobBytes(index)
      return bytes.count == 16 ? bytes.loadUnaligned(as: UUID.self) as NSUUID : nil
    case .decimal:
      let type = sqlite3_column_type(statement.handle, index)
      return NSDecimalNumber(decimal: statement.decimal(index, type: type) ?? .nan)
    case .bytes:
      let bytes = statement.blobBytes(index)
      var archive: Data?
      if let property = column.transformable, property.mayHaveTag {
        archive = try store.externalFiles.archive(ofTagged: bytes, property)
      }
      return try column.object(archive ?? Data(bytes), store: store.identity)
    case .destination, .none: return DictionaryQuery.natural(statement, index)
    }
  }

  /// A computed value in SQLite's own type.
  private static func natural(_ statement: Statement, _ index: Int32) -> NSObject? {
    switch sqlite3_column_type(statement.handle, index) {
    case SQLITE_INTEGER: NumberObject.int64(statement.int(index))
    case SQLITE_FLOAT: NumberObject.double(statement.double(index))
    case SQLITE_TEXT: statement.text(index).map(NSString.init(string:))
    default: Data(statement.blobBytes(index)) as NSData
    }
  }
}
