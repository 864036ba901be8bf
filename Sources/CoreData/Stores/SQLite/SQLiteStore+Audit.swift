/// Checking a whole file, as `PRAGMA integrity_check` checks its pages.
extension SQLiteStore {
  /// What is wrong with a store's file; empty when nothing is.
  ///
  /// - every root entity's Z_MAX is at least its largest Z_PK (invariant 9);
  /// - versions are at least 1, or null where another program wrote the row;
  /// - rows have the Z_ENT of an entity that lives in their table;
  /// - join rows refer to rows that exist.
  static func audit(_ url: URL, _ model: NSManagedObjectModel, configuration: String? = nil) throws -> [String] {
    let connection = try Connection(path: url.path, options: Connection.Options())
    let existing = try ExistingSchema(
      url: url, connection: connection, metadata: StoreMetadata.readIfPresent(at: url, from: connection) ?? [:])
    let plan = try SchemaPlanner.plan(ModelLayouts.of(model), configuration: configuration, existing: existing)
    func count(_ sql: String) throws -> Int { Int((try connection.rows(sql).first?[0]) ?? "0") ?? 0 }

    var problems: [String] = []
    for row in try connection.rows("PRAGMA integrity_check") where row[0] != "ok" {
      problems.append("integrity_check: \(row[0] ?? "")")
    }
    for table in plan.tables {
      let root = plan.schema.entity(at: table.root.index)
      let maximum = try count("SELECT MAX(Z_PK) FROM \(table.name)")
      let reserved = try count("SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = \(root.number)")
      if reserved < maximum { problems.append("\(table.name): Z_MAX \(reserved) is below Z_PK \(maximum)") }
      let unversioned = try count("SELECT COUNT(*) FROM \(table.name) WHERE Z_OPT < 1")
      if unversioned > 0 { problems.append("\(table.name): \(unversioned) rows have a version below 1") }
      let numbers = plan.schema.entities.compactMap { $0 }
        .filter { $0.layout.rootIndex == table.root.index }.map { String($0.number) }.joined(separator: ",")
      let strangers = try count("SELECT COUNT(*) FROM \(table.name) WHERE Z_ENT NOT IN (\(numbers))")
      if strangers > 0 { problems.append("\(table.name): \(strangers) rows are of entities that are not in it") }
    }
    return try problems + danglingLinks(plan.schema, count)
  }

  private static func danglingLinks(_ schema: StoreSchema, _ count: (String) throws -> Int) throws -> [String] {
    var problems: [String] = []
    for entity in schema.entities.compactMap({ $0 }) {
      for case .join(let side) in entity.toMany where !side.table.isSymmetric {
        let dangling = try count(
          "SELECT COUNT(*) FROM \(side.table.name) WHERE \(side.owner) NOT IN (SELECT Z_PK FROM \(entity.table))")
        let problem = "\(side.table.name): \(dangling) rows have a \(side.owner) that is in no row of \(entity.table)"
        if dangling > 0, !problems.contains(problem) { problems.append(problem) }
      }
    }
    return problems
  }
}
