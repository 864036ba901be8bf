/// Indexes, derived attributes and history: what follows the rows.
extension MigrationPlanner {
  /// Drops the source's indexes but those that the destination has too and whose columns stay as they are.
  func planIndexes() throws {
    let wanted = try destination.createIndexes()
    var kept: Set<String> = []
    var drops: [MigrationPlan.Step] = []
    clearing =
      facts.triggers.map { .init(sql: "DROP TRIGGER \($0)", purpose: "dropping the trigger \($0)") } + clearing
    let tables = Set(source.tables.map(\.name) + source.schema.joins.map(\.name))
    for index in facts.indexes where tables.contains(index.table) {
      guard isOurs(index) || !index.columns.allSatisfy({ !dropped(index.table).contains($0) }) else { continue }
      if staying.contains(index.table), let same = wanted.first(where: { MigrationFacts.plain($0) == index.plainSQL }),
        !isTouched(index)
      {
        kept.insert(same)
      } else {
        let name = SQLName.quoted(index.name)
        drops.append(.init(sql: "DROP INDEX \(name)", purpose: "dropping the index \(index.name)"))
      }
    }
    altering = drops + altering
    let constraints = constraintsByIndex()
    for statement in wanted where !kept.contains(statement) {
      var step = MigrationPlan.Step(sql: statement, purpose: "making an index")
      step.constraint = constraints.first { statement.hasPrefix("CREATE UNIQUE INDEX \($0.name) ") }
        .map { ($0.entity, $0.attributes) }
      finishing.append(step)
    }
  }

  /// Whether others have put an index or a trigger on a table.
  func isSharedWithOthers(_ table: String) -> Bool {
    facts.triggeredTables.contains(table) || facts.indexes.contains { $0.table == table && !isOurs($0) }
  }

  private func isOurs(_ index: MigrationFacts.Index) -> Bool {
    let table = MigrationPlanner.bare(index.table)
    // Of older frameworks without a word at the end.
    if index.name.hasPrefix("\(table)_Z") { return true }
    return source.schema.entities.contains { entity in
      entity.map { index.name.hasPrefix("Z_\($0.layout.name)_") } ?? false
    }
  }

  private func dropped(_ table: String) -> Set<String> { touched[table] ?? [] }

  /// Whether one of the words in an index's statement is a column that changes.
  private func isTouched(_ index: MigrationFacts.Index) -> Bool {
    let touched = touched[index.table] ?? []
    if touched.isEmpty { return false }
    let words = index.plainSQL.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map { $0.uppercased() }
    return words.contains { touched.contains(SQLName.quoted($0)) }
  }

  private func constraintsByIndex() -> [(name: String, entity: EntitySchema, attributes: [String])] {
    destination.schema.entities.compactMap { $0 }.flatMap { entity in
      entity.layout.entity.constraintNames.map { names in
        (SQLName.quoted("Z_\(entity.layout.name)_UNIQUE_\(names.joined(separator: "_"))"), entity, names)
      }
    }
  }

  /// Derived values that the source did not have, or whose expression or whose way may lead to other values.
  func planDerived() throws {
    let schema = destination.schema
    let statements = try DerivedTriggers.deriveStatements(schema) { entity, property, path in
      guard path.count <= 1, let former = former(property, of: entity.layout.index),
        let now = property.description as? NSDerivedAttributeDescription,
        let before = former.description as? NSDerivedAttributeDescription
      else { return true }
      if now.derivationFormat != before.derivationFormat { return true }
      if path.isEmpty { return false }
      guard let read = path.first.flatMap({ entity.layout.property(named: $0) }), !read.isRelationship,
        let readBefore = self.former(read, of: entity.layout.index), readBefore.name == read.name,
        readBefore.isOptional == read.isOptional
      else { return true }
      return false
    }
    finishing += statements.map { .init(sql: $0, purpose: "deriving values") }
    finishing += try DerivedTriggers.createStatements(schema).map { .init(sql: $0, purpose: "making a trigger") }
  }

  // History.

  /// Recorded changes name entities by number, and properties by their place among the entity's.
  func planHistory() {
    if facts.historyColumns.isEmpty { return }
    var numbers: [(Int, Int)] = []
    var keys: [(Int, Int64)] = []
    for entity in source.schema.entities.compactMap({ $0 }) {
      let index = entity.layout.index
      guard let heir = successor[index] else {
        // The changes stay, of an entity that no number names.
        numbers.append((entity.number, -entity.number))
        continue
      }
      if entity.number != number(after: heir) { numbers.append((entity.number, number(after: heir))) }
      let offset = offset(entity.layout.rootIndex, layout(after: heir).rootIndex)
      if offset != 0 { keys.append((entity.number, offset)) }
      let map = columnMap(index, heir)
      if map.bits != Array(0..<map.bits.count) { plan.columnMaps[entity.number] = map }
    }
    var sets: [String] = []
    var concerned: Set<Int> = Set(numbers.map(\.0))
    if !numbers.isEmpty { sets.append("ZENTITY = \(MigrationPlanner.renumbering("ZENTITY", numbers))") }
    if !keys.isEmpty {
      let cases = keys.map { "WHEN \($0.0) THEN ZENTITYPK + \($0.1)" }.joined(separator: " ")
      sets.append("ZENTITYPK = CASE ZENTITY \(cases) ELSE ZENTITYPK END")
      concerned.formUnion(keys.map(\.0))
    }
    if !plan.columnMaps.isEmpty, facts.historyColumns.contains("ZCOLUMNS") {
      sets.append("ZCOLUMNS = \(MigrationFunctions.columns)(ZENTITY, ZCOLUMNS)")
      concerned.formUnion(plan.columnMaps.keys)
    }
    addTombstones(&sets, &concerned)
    if sets.isEmpty { return }
    let list = MigrationPlanner.list(concerned.sorted())
    finishing.append(
      .init(
        sql: "UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY IN (\(list))",
        purpose: "renumbering the history"))
  }

  private func columnMap(_ before: Int, _ after: Int) -> HistoryColumnMap {
    let places = Dictionary(
      uniqueKeysWithValues: HistoryColumns(layout(after: after)).names.enumerated().map { ($1, $0) })
    var now: [String: Int] = [:]
    for property in layout(after: after).properties {
      if let former = former(property, of: after) { now[former.name] = places[property.name] }
    }
    // A composite attribute has one bit.
    for property in layout(after: after).properties where property.kind == .composite {
      guard let leaf = property.leaves.first, let former = former(leaf, of: after)?.composite else { continue }
      now[former.name] = places[property.name]
    }
    return HistoryColumnMap(bits: HistoryColumns(layout(before: before)).names.map { now[$0] }, count: places.count)
  }

  /// What deletions preserved stands in numbered columns.
  private func addTombstones(_ sets: inout [String], _ concerned: inout Set<Int>) {
    var moved: [Int: [(number: Int, from: Int?)]] = [:]
    var last = 0
    for entity in source.schema.entities.compactMap({ $0 }) {
      guard let heir = successor[entity.layout.index] else { continue }
      let before = SQLiteHistory.preserved(in: entity.layout, source.schema).map(\.property.name)
      let after = SQLiteHistory.preserved(in: layout(after: heir), destination.schema)
        .map { former($0.property, of: heir)?.name }
      let froms = after.map { name in name.flatMap { before.firstIndex(of: $0) } }
      for place in 0..<max(before.count, froms.count) {
        let from = place < froms.count ? froms[place] : nil
        if from == place || (from == nil && place >= before.count) { continue }
        moved[place, default: []].append((entity.number, from))
        last = max(last, place + 1)
      }
    }
    for place in 0..<last where !facts.historyColumns.contains(HistoryTables.tombstone(place)) {
      finishing.append(
        .init(
          sql: "ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstone(place)) BLOB",
          purpose: "adding a column to the history"))
    }
    for (place, changes) in moved.sorted(by: { $0.key < $1.key }) {
      let name = HistoryTables.tombstone(place)
      let cases = changes.map { "WHEN \($0.number) THEN \($0.from.map(HistoryTables.tombstone) ?? "NULL")" }
      sets.append("\(name) = CASE ZENTITY \(cases.joined(separator: " ")) ELSE \(name) END")
      concerned.formUnion(changes.map(\.number))
    }
  }
}
