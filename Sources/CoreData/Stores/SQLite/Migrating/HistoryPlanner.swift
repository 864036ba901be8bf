/// Plans the renumbering of recorded changes, which name an entity by its number, and a property by its place in the
/// entity.
struct HistoryPlanner {
  private let versions: MigrationVersions
  private var statements = MigrationStatements()
  private var columnMaps: [Int: HistoryColumnMap] = [:]
  /// The assignments of the UPDATE of all changes; `concerned` has the Z_ENTs that it applies to.
  private var sets: [String] = []
  private var concerned: Set<Int> = []

  /// Returns the statements, and the column maps by the source's Z_ENT.
  static func plan(
    _ versions: MigrationVersions, _ moves: TableMoves
  ) -> (statements: MigrationStatements, columnMaps: [Int: HistoryColumnMap]) {
    var planner = HistoryPlanner(versions: versions)
    if !versions.facts.historyColumns.isEmpty { planner.plan(moves) }
    planner.statements.finishing += MirroringPlanner.plan(versions, moves)
    return (planner.statements, planner.columnMaps)
  }

  private init(versions: MigrationVersions) { self.versions = versions }

  private mutating func plan(_ moves: TableMoves) {
    var numbers: [(Int, Int)] = []
    var keys: [(Int, Int64)] = []
    for entity in versions.source.schema.entities.compactMap({ $0 }) {
      let index = SourceEntity(index: entity.layout.index)
      guard let successor = versions.successor[index] else {
        // The changes stay, but their number belongs to no entity.
        numbers.append((entity.number, -entity.number))
        continue
      }
      if entity.number != versions.number(successor) { numbers.append((entity.number, versions.number(successor))) }
      let offset = moves.offset(versions.root(of: index), versions.root(of: successor))
      if offset != 0 { keys.append((entity.number, offset)) }
      let map = columnMap(index, successor)
      if map.bits != Array(0..<map.bits.count) { columnMaps[entity.number] = map }
    }
    if !numbers.isEmpty {
      set("ZENTITY = \(MigrationPlanner.renumbering("ZENTITY", numbers))", of: numbers.map(\.0))
    }
    if !keys.isEmpty {
      let cases = keys.map { "WHEN \($0.0) THEN ZENTITYPK + \($0.1)" }.joined(separator: " ")
      set("ZENTITYPK = CASE ZENTITY \(cases) ELSE ZENTITYPK END", of: keys.map(\.0))
    }
    if !columnMaps.isEmpty, versions.facts.historyColumns.contains("ZCOLUMNS") {
      set("ZCOLUMNS = \(MigrationFunctions.columns)(ZENTITY, ZCOLUMNS)", of: Array(columnMaps.keys))
    }
    planTombstones()
    if sets.isEmpty { return }
    let list = MigrationPlanner.list(concerned.sorted())
    statements.finishing.append(
      .init(
        sql: "UPDATE ACHANGE SET \(sets.joined(separator: ", ")) WHERE ZENTITY IN (\(list))",
        purpose: "renumbering the history"))
  }

  private mutating func set(_ assignment: String, of numbers: [Int]) {
    sets.append(assignment)
    concerned.formUnion(numbers)
  }

  private func columnMap(_ source: SourceEntity, _ destination: DestinationEntity) -> HistoryColumnMap {
    let layout = versions.layout(destination)
    let bits = Dictionary(uniqueKeysWithValues: HistoryColumns(layout).names.enumerated().map { ($1, $0) })
    /// The destination's bit of a property, by the property's name in the source.
    var newBits: [String: Int] = [:]
    for property in layout.properties {
      if let sourceProperty = versions.sourceProperty(of: property, in: destination) {
        newBits[sourceProperty.name] = bits[property.name]
      }
    }
    // A composite attribute has one bit, whichever of its elements are new.
    for property in layout.properties where property.kind == .composite {
      if let name = versions.sourceName(of: property, in: destination) { newBits[name] = bits[property.name] }
    }
    return HistoryColumnMap(
      bits: HistoryColumns(versions.layout(source)).names.map { newBits[$0] }, count: bits.count)
  }

  /// Plans the values that deletions have preserved, which are in numbered columns.
  private mutating func planTombstones() {
    var moved: [Int: [(number: Int, from: Int?)]] = [:]
    var last = 0
    for entity in versions.source.schema.entities.compactMap({ $0 }) {
      guard let successor = versions.successor[SourceEntity(index: entity.layout.index)] else { continue }
      let oldNames = HistoryColumns.preserved(in: entity.layout, versions.source.schema).map(\.property.name)
      let newNames = HistoryColumns.preserved(in: versions.layout(successor), versions.destination.schema)
        .map { versions.sourceProperty(of: $0.property, in: successor)?.name }
      let froms = newNames.map { name in name.flatMap { oldNames.firstIndex(of: $0) } }
      for column in 0..<max(oldNames.count, froms.count) {
        let from = column < froms.count ? froms[column] : nil
        if from == column || (from == nil && column >= oldNames.count) { continue }
        moved[column, default: []].append((entity.number, from))
        last = max(last, column + 1)
      }
    }
    for column in 0..<last where !versions.facts.historyColumns.contains(HistoryTables.tombstone(column)) {
      statements.finishing.append(
        .init(
          sql: "ALTER TABLE ACHANGE ADD COLUMN \(HistoryTables.tombstone(column)) \(versions.dialect.bytes)",
          purpose: "adding a column to the history"))
    }
    for (column, changes) in moved.sorted(on: \.key) {
      let name = HistoryTables.tombstone(column)
      let cases = changes.map { "WHEN \($0.number) THEN \($0.from.map(HistoryTables.tombstone) ?? "NULL")" }
      set("\(name) = CASE ZENTITY \(cases.joined(separator: " ")) ELSE \(name) END", of: changes.map(\.number))
    }
  }
}
