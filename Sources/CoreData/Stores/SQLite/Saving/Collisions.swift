/// The uniqueness constraints that a save breaks, and the rows that break them.
///
/// A row is noted only after all rows that can be written have been. So if another row is found with its values, that
/// row has them at the end of the save too, whether it had them before or got them in the save.
struct Collisions {
  struct Collision {
    let constraint: [String]
    /// Rows of the change set that have the same values.
    var rows: [RowReference]
    /// The key of the row they collide with.
    let key: Int64
    let entity: Int
    /// Whether the change set inserts that row, or gives it these values.
    let isOwn: Bool
  }

  private struct CollisionKey: Hashable {
    let key: Int64
    let constraint: [String]
    let entity: Int
  }

  /// A constraint's values in a row that could not be written, where no row in the table has these values.
  private struct Claim: Hashable {
    let values: ConstraintValues
    let constraint: [String]
    let entity: Int
  }

  private(set) var list: [Collision] = []
  private var positions: [CollisionKey: Int] = [:]
  /// The first row with each claim.
  private var claims: [Claim: RowReference] = [:]
  private let changes: ChangeSet
  // Both by root entity and key. Each is made when it is first needed.
  private var own: Set<RowReference>?
  private var updates: [RowReference: RowUpdate]?

  init(_ changes: ChangeSet) { self.changes = changes }

  var isEmpty: Bool { list.isEmpty }

  /// Notes the constraints that keep a row from being written. Returns false if the row breaks none that the model
  /// knows.
  mutating func note(_ row: RowSnapshot, schema: StoreSchema, connection: Connection) throws -> Bool {
    var found = false
    for (constraint, declaring) in schema.layouts[row.entity].allConstraints {
      if let key = try holder(of: constraint, declaring: declaring, row: row, schema: schema, connection: connection) {
        found = true
        add(constraint, row: row, key: key, declaring: declaring, layouts: schema.layouts)
      } else {
        claim(constraint, row: row, declaring: declaring, layouts: schema.layouts)
      }
    }
    return found
  }

  /// Notes values that a row would have if another constraint did not keep it out. The next row with the same values
  /// collides with it.
  private mutating func claim(
    _ constraint: [String], row: RowSnapshot, declaring: EntityLayout, layouts: ModelLayouts
  ) {
    let properties = constraint.compactMap { layouts[row.entity].property(named: $0) }
    guard properties.count == constraint.count, let values = ConstraintValues(row, properties) else { return }
    let claim = Claim(values: values, constraint: constraint, entity: declaring.index)
    if let first = claims[claim] {
      add(constraint, row: row, key: first.key, declaring: declaring, layouts: layouts)
    } else {
      claims[claim] = row.reference
    }
  }

  private mutating func add(
    _ constraint: [String], row: RowSnapshot, key: Int64, declaring: EntityLayout, layouts: ModelLayouts
  ) {
    let collision = CollisionKey(key: key, constraint: constraint, entity: declaring.index)
    if let index = positions[collision] {
      list[index].rows.append(row.reference)
      return
    }
    let holder = RowReference(entity: declaring.rootIndex, key: key)
    let isOwn = ownRows(layouts).contains(holder) || isTaken(constraint, by: holder, layouts)
    positions[collision] = list.count
    list.append(
      Collision(
        constraint: constraint, rows: [row.reference], key: key, entity: declaring.index, isOwn: isOwn))
  }

  /// The rows that the change set inserts, by root entity and key.
  private mutating func ownRows(_ layouts: ModelLayouts) -> Set<RowReference> {
    if let own { return own }
    let rows = Set(changes.inserted.map { RowReference(entity: layouts[$0.entity].rootIndex, key: $0.key) })
    own = rows
    return rows
  }

  /// Whether the change set gives a stored row its values of a constraint. A row that had these values before the save,
  /// and changes only in other properties, holds them as the store's row.
  private mutating func isTaken(
    _ constraint: [String], by holder: RowReference, _ layouts: ModelLayouts
  ) -> Bool {
    if updates == nil {
      updates = Dictionary(
        changes.updated.map { (RowReference(entity: layouts[$0.row.entity].rootIndex, key: $0.row.key), $0) },
        uniquingKeysWith: { first, _ in first })
    }
    guard let update = updates![holder] else { return false }
    let properties = constraint.compactMap { layouts[update.row.entity].property(named: $0) }
    return ConstraintValues(update.row, properties) != ConstraintValues(update.base, properties)
  }

  /// The key of another row with the same values; nil when there is none, or one of the values is null.
  private func holder(
    of constraint: [String], declaring: EntityLayout, row: RowSnapshot, schema: StoreSchema,
    connection: Connection
  ) throws -> Int64? {
    let entity = schema.entity(at: row.entity)
    let columns = constraint.compactMap { name in
      entity.layout.property(named: name).flatMap { $0.slot >= 0 ? entity.slots[$0.slot] : nil }
    }
    guard columns.count == constraint.count, columns.allSatisfy({ !row.isNull(slot: $0.property.slot) }) else {
      return nil
    }
    let conditions = columns.map { "\($0.name) = ?" } + ["Z_PK <> ?"]
    let numbers = schema.numbers(declaring.subtree)
    let scope = entity.sharesTable ? " AND Z_ENT IN (\(numbers.map(String.init).joined(separator: ",")))" : ""
    let statement = try connection.statement(
      "SELECT Z_PK FROM \(entity.table) WHERE \(conditions.joined(separator: " AND "))\(scope)")
    defer { statement.reset() }
    for (index, column) in columns.enumerated() {
      Binding(row, column.property).bind(to: statement, at: Int32(index + 1))
    }
    statement.bind(row.key, at: Int32(columns.count + 1))
    return try statement.step() ? statement.int(0) : nil
  }
}
