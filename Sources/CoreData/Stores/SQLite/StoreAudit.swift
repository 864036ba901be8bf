/// ``SQLiteStore/audit(_:_:configuration:)``, and what it leaves out: what lies between rows, and between rows and
/// files. For this package's programs and tests.
package struct StoreAudit {
  /// What is wrong; empty when nothing is:
  ///
  /// - all that `SQLiteStore.audit` asks for;
  /// - a destination of a to-one relationship that no row has, or whose entity is another one than the column beside it
  ///   says;
  /// - a file that a row refers to and that is not there.
  package private(set) var problems: [String] = []
  /// Files in the folder of external values that no row refers to.
  package private(set) var unreferencedFiles: [String] = []

  /// Looks at a store's file, which should not be open.
  package init(_ url: URL, _ model: NSManagedObjectModel) throws {
    do {
      problems = try SQLiteStore.audit(url, model)
      let connection = try Connection(path: url.path, options: Connection.Options())
      let existing = try ExistingSchema(
        url: url, connection: connection, metadata: StoreMetadata.readIfPresent(at: url, from: connection) ?? [:])
      try look(
        try SchemaPlanner.plan(ModelLayouts.of(model), configuration: nil, existing: existing).schema, connection)
      let files = ExternalFiles(store: url)
      let names = Set((try? FileManager.default.contentsOfDirectory(atPath: files.folder.path)) ?? [])
      problems += references.subtracting(names).sorted().map { "the file \($0) is not in \(files.folder.path)" }
      unreferencedFiles = names.subtracting(references).sorted()
    } catch let failure as Failure {
      throw failure.nsError
    } catch let error as SQLiteError {
      throw error.failure(at: url).nsError
    }
  }

  private var references: Set<String> = []

  private mutating func look(_ schema: StoreSchema, _ connection: Connection) throws {
    for entity in schema.entities.compactMap({ $0 }) {
      for column in entity.slots.compactMap({ $0 }) {
        if column.isTagged { try noteReferences(entity, column, connection) }
        if column.property.kind == .toOne, let destination = schema.entities[column.property.destination] {
          try noteDangling(entity, column, destination, connection)
          try noteWrongEntities(entity, column, destination, connection)
        }
      }
    }
  }

  private mutating func noteReferences(
    _ entity: EntitySchema, _ column: SlotColumn, _ connection: Connection
  ) throws {
    let statement = try connection.statement(
      "SELECT \(column.name) FROM \(entity.table) WHERE Z_ENT = \(entity.number)")
    defer { statement.reset() }
    while try statement.step() {
      guard let name = ExternalFiles.reference(inTagged: statement.blobBytes(0)) else { continue }
      let text = String(decoding: name, as: UTF8.self)
      if ExternalReference.uuid(name) != nil {
        references.insert(text)
      } else {
        problems.append("\(entity.table): \(column.name) has \(Failure.words(for: text)) for the name of a file")
      }
    }
  }

  private mutating func noteDangling(
    _ entity: EntitySchema, _ column: SlotColumn, _ destination: EntitySchema, _ connection: Connection
  ) throws {
    let (name, table) = (column.name, entity.table)
    let rows = try connection.rows(
      "SELECT Z_PK, \(name) FROM \(table) WHERE Z_ENT = \(entity.number) AND \(name) IS NOT NULL "
        + "AND \(name) NOT IN (SELECT Z_PK FROM \(destination.table))")
    problems += rows.map { row in
      "\(table): \(name) of row \(row[0] ?? "") is \(row[1] ?? ""), which no row of \(destination.table) is"
    }
  }

  private mutating func noteWrongEntities(
    _ entity: EntitySchema, _ column: SlotColumn, _ destination: EntitySchema, _ connection: Connection
  ) throws {
    guard let name = column.entityName else { return }
    let rows = try connection.rows(
      "SELECT a.Z_PK, a.\(name), b.Z_ENT FROM \(entity.table) a JOIN \(destination.table) b ON b.Z_PK = a.\(column.name) "
        + "WHERE a.Z_ENT = \(entity.number) AND a.\(name) IS NOT b.Z_ENT")
    problems += rows.map { row in
      "\(entity.table): \(name) of row \(row[0] ?? "") is \(row[1] ?? "null"), but the row referred to has \(row[2] ?? "null")"
    }
  }
}
