/// The statements of a store that its model or the shape of a fetch settles, made when first needed and kept.
///
/// Any thread; tables are under `lock`.
final class QueryPlans: @unchecked Sendable {
  // `@unchecked Sendable`: the tables are only touched under `lock`.

  private let schema: StoreSchema
  private let lock = NSLock()
  /// By layout index times two, plus one with subentities.
  @exclusivity(unchecked) private var rowQueries: [RowQuery?]
  @exclusivity(unchecked) private var faultTexts: [[StatementText?]]
  /// By root.
  @exclusivity(unchecked) private var faultPlans: [FaultPlan?]
  @exclusivity(unchecked) private var memberPlans: [Int: MemberPlan] = [:]
  @exclusivity(unchecked) private var fetchTexts: [FetchShape: StatementText] = [:]

  init(_ schema: StoreSchema) {
    self.schema = schema
    let count = schema.layouts.layouts.count
    rowQueries = Array(repeating: nil, count: count * 2)
    faultTexts = Array(repeating: Array(repeating: nil, count: QueryPlans.keyCounts.count), count: count)
    faultPlans = Array(repeating: nil, count: count)
  }

  func rowQuery(_ layout: EntityLayout, includesSubentities: Bool) throws -> RowQuery {
    let index = layout.index * 2 + (includesSubentities ? 1 : 0)
    lock.lock()
    defer { lock.unlock() }
    if let query = rowQueries[index] { return query }
    let query = try RowQuery(schema, layout, includesSubentities: includesSubentities)
    rowQueries[index] = query
    return query
  }

  /// How many shapes are remembered. A program has a few dozen; limits and offsets that vary make more.
  private static let shapeLimit = 512

  /// The statement of fetches of a shape; nil if there was none yet.
  func fetchText(_ shape: FetchShape) -> StatementText? {
    lock.lock()
    defer { lock.unlock() }
    return fetchTexts[shape]
  }

  func keep(_ sql: String, for shape: FetchShape) -> StatementText {
    lock.lock()
    defer { lock.unlock() }
    if fetchTexts.count >= QueryPlans.shapeLimit { fetchTexts.removeAll() }
    let text = StatementText(sql)
    fetchTexts[shape] = text
    return text
  }

  /// How many keys the statements for faults take; unused places hold null.
  static let keyCounts = [1, 8, 32, 128, 256, 512]

  /// Selects the rows of `keyCounts[size]` keys of a hierarchy.
  func faultText(_ query: RowQuery, size: Int) -> StatementText {
    let root = query.entity.layout.index
    lock.lock()
    defer { lock.unlock() }
    if let text = faultTexts[root][size] { return text }
    let count = QueryPlans.keyCounts[size]
    let condition =
      count == 1
      ? " t0.Z_PK = ? "
      : " t0.Z_PK IN (\(Array(repeating: "?", count: count).joined(separator: ","))) "
    let text = StatementText(
      "SELECT \(query.columnList) FROM \(query.entity.table) t0 WHERE \(condition)")
    faultTexts[root][size] = text
    return text
  }

  /// What fires one fault of a hierarchy.
  func fault(_ root: EntityLayout) throws -> FaultPlan {
    if let plan = lock.withLock({ faultPlans[root.index] }) { return plan }
    let query = try rowQuery(root, includesSubentities: true)
    let plan = FaultPlan(query: query, text: faultText(query, size: 0))
    lock.withLock { faultPlans[root.index] = plan }
    return plan
  }

  func memberPlan(_ relationship: LayoutProperty, of layout: EntityLayout) throws -> MemberPlan {
    let key = layout.index << 16 | relationship.toManyIndex
    lock.lock()
    defer { lock.unlock() }
    if let plan = memberPlans[key] { return plan }
    let plan = try MemberPlan(schema, relationship, of: layout)
    memberPlans[key] = plan
    return plan
  }
}

/// The statement that finds the row of one key, and what reads it.
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
  /// Layout index of the members where they are all of one entity, else -1.
  let entity: Int

  init(_ schema: StoreSchema, _ relationship: LayoutProperty, of layout: EntityLayout) throws {
    let storage = try schema.entity(layout).toMany[relationship.toManyIndex]
    guard relationship.destination >= 0, let destination = schema.entities[relationship.destination] else {
      throw Failure.entityOutsideStore(relationship.relationship.destinationName ?? "?")
    }
    let isAlone = !destination.sharesTable
    entity = isAlone ? relationship.destination : -1
    let ent = isAlone ? "0" : "t0.Z_ENT"
    let known = RowQuery.memberCondition(schema, destination)
    switch storage {
    case .foreignKey(let table, let column, let order), .hiddenKey(let table, let column, let order):
      text = StatementText(
        "SELECT \(ent), t0.Z_PK FROM \(table) t0 WHERE  t0.\(column) = ? \(known)"
          + (order.map { " ORDER BY t0.\($0), t0.Z_PK" } ?? ""))
    case .join(let side):
      let order = side.order.map { " ORDER BY t1.\($0), t1.\(side.member)" } ?? ""
      text = StatementText(
        "SELECT \(ent), t0.Z_PK FROM \(destination.table) t0 JOIN \(side.table.name) t1 "
          + "ON t0.Z_PK = t1.\(side.member) WHERE  t1.\(side.owner) = ? \(known)" + order)
    case .none:
      throw Failure.entityOutsideStore(destination.layout.name)
    }
  }
}
