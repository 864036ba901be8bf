internal import CSwiftRuntime

/// The statements that depend only on a store's model or on the shape of a fetch. Each is made when it is first needed,
/// and then kept.
///
/// Immutable except for what it keeps; any thread.
final class QueryPlans: Sendable {
  private let schema: StoreSchema
  /// Row queries. The index is twice the layout's, plus one for a query with subentities.
  private let rowQueries: KeptObjects<RowQuery>
  /// Fault statements, by root entity and form.
  private let faultTexts: KeptObjects<StatementText>
  /// Fault plans, by root entity.
  private let faultPlans: KeptObjects<FaultPlan>
  /// Member plans, by layout and the relationship's number.
  private let memberPlans: KeptObjects<MemberPlan>
  private let toManyCount: Int
  private let fetchTexts = FetchTexts()

  init(_ schema: StoreSchema) {
    self.schema = schema
    let count = schema.layouts.layouts.count
    toManyCount = schema.entities.map { $0?.toMany.count ?? 0 }.max() ?? 0
    rowQueries = KeptObjects(count: count * 2)
    faultTexts = KeptObjects(count: count * KeyForm.count)
    faultPlans = KeptObjects(count: count)
    memberPlans = KeptObjects(count: count * toManyCount)
  }

  func rowQuery(_ layout: EntityLayout, includesSubentities: Bool) throws -> RowQuery {
    try rowQueries.object(layout.index * 2 + (includesSubentities ? 1 : 0)) {
      try RowQuery(schema, layout, includesSubentities: includesSubentities)
    }
  }

  /// The statement for all fetches of one shape.
  func fetchText(_ shape: FetchShape, make: () throws -> SelectStatement) rethrows -> StatementText {
    try fetchTexts.text(shape, make: make)
  }

  /// Selects the rows of some keys of a hierarchy.
  func faultText(_ query: RowQuery, _ form: KeyForm) -> StatementText {
    faultTexts.object(query.entity.layout.index * KeyForm.count + form.index) {
      var select = SelectStatement(query.columns, from: .named(query.entity.table, as: "t0"))
      select.isByKey = true
      select.conditions = [form.condition(.column("t0", "Z_PK"))]
      return StatementText(select.fragment.sql)
    }
  }

  /// The plan that fires one fault of a hierarchy.
  func fault(_ places: PlaceTable) throws -> FaultPlan {
    try faultPlans.object(places.rootEntity) {
      let query = try rowQuery(places.layout.root, includesSubentities: true)
      return FaultPlan(query: query, text: faultText(query, .one))
    }
  }

  func memberPlan(_ relationship: LayoutProperty, of layout: EntityLayout) throws -> MemberPlan {
    try memberPlans.object(layout.index * toManyCount + relationship.toManyIndex) {
      try MemberPlan(schema, relationship, of: layout)
    }
  }
}

/// Objects that are made when first asked for, by number, and then kept. Those that are there are found without a lock,
/// since each fault asks for one.
private final class KeptObjects<Kept: AnyObject & Sendable>: @unchecked Sendable {
  // `@unchecked Sendable`: the words are read and written atomically.

  private let lock = NSLock()
  /// Retained objects; 0 for those that were not made yet. Written under `lock`.
  private let words: UnsafeMutableBufferPointer<UInt>

  init(count: Int) {
    words = .allocate(capacity: count)
    words.initialize(repeating: 0)
  }

  deinit {
    for number in words.indices { known(number)?.release() }
    words.deallocate()
  }

  @inline(__always)
  private func known(_ number: Int) -> Unmanaged<Kept>? {
    precondition(words.indices.contains(number))
    return UnsafeRawPointer(bitPattern: core_data_load_word(words.baseAddress! + number)).map(Unmanaged.fromOpaque)
  }

  @inline(__always)
  func object(_ number: Int, make: () throws -> Kept) rethrows -> Kept {
    if let known = known(number) { return known.takeUnretainedValue() }
    return try makeObject(number, make)
  }

  @inline(never)
  private func makeObject(_ number: Int, _ make: () throws -> Kept) rethrows -> Kept {
    lock.lock()
    defer { lock.unlock() }
    if let known = known(number) { return known.takeUnretainedValue() }
    let object = try make()
    core_data_store_word(words.baseAddress! + number, UInt(bitPattern: Unmanaged.passRetained(object).toOpaque()))
    return object
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
  /// The statement with a limit, its second parameter.
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
