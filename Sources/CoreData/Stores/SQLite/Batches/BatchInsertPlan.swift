/// The statements of a batch insert. It is pure except that it keeps the update statements that it makes.
struct BatchInsertPlan {
  let schema: StoreSchema
  let entity: EntitySchema
  let insert: RowWritePlan
  /// The constraints of the entity and of those that it inherits from.
  let constraints: [BatchConstraint]
  /// The slots that a row of this entity can overwrite in another row.
  let attributes: SlotMask
  private var overwrites: [SlotMask: RowWritePlan] = [:]

  init(_ schema: StoreSchema, _ entity: EntitySchema) {
    self.schema = schema
    self.entity = entity
    insert = .insert(entity)
    constraints = BatchConstraint.all(of: entity, schema)
    var attributes = SlotMask()
    for property in entity.layout.slots where property.batchRefusal == nil { attributes.insert(property.slot) }
    self.attributes = attributes
  }

  /// Makes the plan that writes slots of a new row into a row of `holder`. That may be another entity of the hierarchy:
  /// slots that only the new row has are left out.
  mutating func overwrite(_ slots: SlotMask, in holder: EntityLayout) -> RowWritePlan {
    var changed = slots
    if holder.index != entity.layout.index {
      slots.forEach { slot in
        let property = entity.layout.slots[slot]
        if holder.property(named: property.name)?.declaringEntity != property.declaringEntity { changed.remove(slot) }
      }
    }
    if let plan = overwrites[changed] { return plan }
    let plan = RowWritePlan.overwrite(entity, changed: changed)
    overwrites[changed] = plan
    return plan
  }
}

/// A uniqueness constraint in terms of a store's columns.
struct BatchConstraint {
  let names: [String]
  /// The entity that has the constraint.
  let declaring: EntityLayout
  /// The columns, in the order of `names`.
  let columns: [SlotColumn]
  /// Selects Z_ENT and Z_PK of the row that has the values. The parameters are the values.
  let holder: StatementText

  /// The constraint for rows of `entity`, which has or inherits it; nil if a property of it has no column.
  private init?(_ names: [String], declaring: EntityLayout, entity: EntitySchema, schema: StoreSchema) {
    self.names = names
    self.declaring = declaring
    columns = names.compactMap { name in
      entity.layout.property(named: name).flatMap { $0.slot >= 0 ? entity.slots[$0.slot] : nil }
    }
    if columns.count < names.count { return nil }
    var conditions = columns.map { "\($0.name) = ?" }
    if entity.sharesTable {
      let numbers = schema.numbers(declaring.subtree).map(String.init)
      conditions.append("Z_ENT IN (\(numbers.joined(separator: ",")))")
    }
    let number = entity.sharesTable ? "Z_ENT" : String(entity.number)
    holder = StatementText(
      "SELECT \(number), Z_PK FROM \(entity.table) WHERE \(conditions.joined(separator: " AND "))")
  }

  /// The constraints that a row of an entity can break.
  static func all(of entity: EntitySchema, _ schema: StoreSchema) -> [BatchConstraint] {
    entity.layout.allConstraints.compactMap {
      BatchConstraint($0.names, declaring: $0.declaring, entity: entity, schema: schema)
    }
  }

  /// The constraints that a row of an entity, or of one of its subentities, can break.
  static func all(in layout: EntityLayout, _ schema: StoreSchema) -> [BatchConstraint] {
    layout.subtree.compactMap { schema.entities[$0] }.flatMap { all(of: $0, schema) }
  }

  /// The constraint that SQLite's error is about: its message names the columns.
  static func broken(by error: SQLiteError, _ constraints: [BatchConstraint]) -> BatchConstraint? {
    if constraints.count == 1 { return constraints[0] }
    guard let list = error.message.range(of: "UNIQUE constraint failed: ") else { return nil }
    let columns = error.message[list.upperBound...].components(separatedBy: ", ").map { name in
      name.firstIndex(of: ".").map { String(name[name.index(after: $0)...]) } ?? name
    }
    return constraints.first { constraint in
      constraint.columns.map { $0.name.trimmingCharacters(in: ["\""]) } == columns
    }
  }
}
