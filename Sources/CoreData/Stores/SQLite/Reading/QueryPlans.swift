/// The statements that depend only on a store's model or on the shape of a fetch. Each is made when it is first needed,
/// and then kept.
///
/// Immutable except for what it keeps; any thread.
final class QueryPlans: Sendable {
  private let schema: StoreSchema
  /// Row queries. The index is twice the layout's, plus one for a query with subentities.
  private let rowQueries: KeptValues<RowQuery>
  /// Fault statements, by root entity and form.
  private let faultTexts: KeptValues<StatementText>
  /// Fault plans, by root entity.
  private let faultPlans: KeptValues<FaultPlan>
  /// Member plans, by layout and the relationship's number.
  private let memberPlans: KeptValues<MemberPlan>
  private let toManyCount: Int
  private let fetchTexts = FetchTexts()

  init(_ schema: StoreSchema) {
    self.schema = schema
    let count = schema.layouts.layouts.count
    toManyCount = schema.entities.map { $0?.toMany.count ?? 0 }.max() ?? 0
    rowQueries = KeptValues(count: count * 2)
    faultTexts = KeptValues(count: count * KeyForm.count)
    faultPlans = KeptValues(count: count)
    memberPlans = KeptValues(count: count * toManyCount)
  }

  func rowQuery(_ layout: EntityLayout, includesSubentities: Bool) throws -> RowQuery {
    try rowQueries.value(layout.index * 2 + (includesSubentities ? 1 : 0)) {
      try RowQuery(schema, layout, includesSubentities: includesSubentities)
    }
  }

  /// The statement for all fetches of one shape.
  func fetchText(_ shape: FetchShape, make: () throws -> SelectStatement) rethrows -> StatementText {
    try fetchTexts.text(shape, make: make)
  }

  /// Selects the rows of some keys of a hierarchy.
  func faultText(_ query: RowQuery, _ form: KeyForm) -> StatementText {
    faultTexts.value(query.entity.layout.index * KeyForm.count + form.index) {
      var select = SelectStatement(query.columns, from: .named(query.entity.table, as: "t0"))
      select.isByKey = true
      select.conditions = [form.condition(.column("t0", "Z_PK"))]
      return StatementText(select.fragment.sql)
    }
  }

  /// The plan that fires one fault of a hierarchy.
  func fault(_ places: PlaceTable) throws -> FaultPlan {
    try faultPlans.value(places.rootEntity) {
      let query = try rowQuery(places.layout.root, includesSubentities: true)
      return FaultPlan(query: query, text: faultText(query, .one))
    }
  }

  func memberPlan(_ relationship: LayoutProperty, of layout: EntityLayout) throws -> MemberPlan {
    try memberPlans.value(layout.index * toManyCount + relationship.toManyIndex) {
      try MemberPlan(schema, relationship, of: layout)
    }
  }
}

/// Values that are made when first asked for, by number.
private final class KeptValues<Value: Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`: the values are only touched under `lock`.

  private let lock = NSLock()
  // Unchecked or inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  @exclusivity(unchecked) private var values: [Value?]

  init(count: Int) { values = Array(repeating: nil, count: count) }

  @inline(__always)
  func value(_ number: Int, make: () throws -> Value) rethrows -> Value {
    lock.lock()
    defer { lock.unlock() }
    if let value = values[number] { return value }
    let value = try make()
    values[number] = value
    return value
  }
}

/// The statements of fetches, by shape.
private final class FetchTexts: @unchecked Sendable {
  // `@unchecked Sendable`: the texts are only touched under `lock`.

  /// How many shapes are remembered. A program has a few dozen; limits and offsets that vary make more.
  private static let limit = 512

  private let lock = NSLock()
  /// By the shape's hash. With the shape as the key the first fetch of a process would take a tenth more, to find out
  /// how shapes are hashed.
  @exclusivity(unchecked) private var texts: [Int: [(shape: FetchShape, text: StatementText)]] = [:]

  func text(_ shape: FetchShape, make: () throws -> SelectStatement) rethrows -> StatementText {
    lock.lock()
    defer { lock.unlock() }
    let hash = shape.hashValue
    if let known = texts[hash] {
      for one in known where one.shape == shape { return one.text }
    }
    if texts.count >= FetchTexts.limit { texts.removeAll() }
    let text = StatementText(try make().fragment.sql)
    texts[hash, default: []].append((shape, text))
    return text
  }
}

/// The statement that finds the row of one key, and the query that reads it.
final class FaultPlan: Sendable {
  let query: RowQuery
  let text: StatementText

  init(query: RowQuery, text: StatementText) {
    self.query = query
    self.text = text
  }
}

/// The statement that finds the members of a to-many relationship of one owner: columns Z_ENT or 0, Z_PK.
final class MemberPlan: Sendable {
  let text: StatementText
  /// The same with a limit, its second parameter.
  let limited: StatementText
  /// The members' entity, as the relationship has it.
  let members: EntitySchema

  init(_ schema: StoreSchema, _ relationship: LayoutProperty, of layout: EntityLayout) throws {
    guard relationship.destination >= 0, let members = schema.entities[relationship.destination] else {
      throw Failure.entityOutsideStore(relationship.relationship.destinationName ?? "?")
    }
    self.members = members
    let storage = try schema.entity(layout).toMany[relationship.toManyIndex]
    let columns = [RowQuery.entityColumn(members), .column("t0", "Z_PK")]
    let (select, _) = try SelectStatement.members(columns, of: members, by: storage, schema: schema) {
      .infix($0, "=", .parameter)
    }
    let sql = select.fragment.sql
    text = StatementText(sql)
    limited = StatementText("\(sql) LIMIT ?")
  }
}
