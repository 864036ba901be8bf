internal import CoreData
import Foundation

/// A migration's statements in PostgreSQL's dialect.
struct ServerMigrationDialect: MigrationDialect {
  var sql: SQLDialect { .postgreSQL }
  var integer: String { ServerType.integer.name }
  var bytes: String { ServerType.bytes.name }
  /// False: to drop a column, the server only marks it as dropped.
  var rewritesTables: Bool { false }

  func type(of column: TablePlan.Column, in table: TablePlan, _ schema: StoreSchema) -> MigrationColumnType {
    let type = SchemaStatements.types(in: table, schema)[column.name] ?? .integer
    return MigrationColumnType(name: type.name, declaration: type.declaration)
  }

  func create(_ table: TablePlan, named name: String, _ schema: StoreSchema) -> String {
    SchemaStatements.create(table, named: name, schema)
  }

  func create(_ join: JoinTable, named name: String) -> String { SchemaStatements.create(join, named: name) }

  func insertOnce(_ target: String, _ selection: String) -> String {
    "INSERT INTO \(target) \(selection) ON CONFLICT DO NOTHING"
  }

  func literal(_ value: Binding, _ property: LayoutProperty) -> String? {
    let text: String
    switch value {
    case .null, .array: return nil
    case .int(let number): text = "\(number)"
    case .double(let number):
      if number.isNaN { return nil }
      text = number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    case .text(let string): text = string
    case .blob(let data): text = "\\x" + data.map { String(format: "%02x", $0) }.joined()
    case .uuid(let uuid): text = uuid.uuidString
    case .decimal(let number): text = number.description
    }
    return "CAST(\(SQLName.literal(text)) AS \(ServerType(property.form).name))"
  }

  func indexes(_ plan: SchemaPlan) throws -> [PlannedIndex] { try SchemaStatements(plan).indexes() }

  func drop(_ index: MigrationFacts.Index) -> String {
    let name = SQLName.quoted(index.name)
    return index.isConstraint ? "ALTER TABLE \(index.table) DROP CONSTRAINT \(name)" : "DROP INDEX \(name)"
  }
}

extension MigrationFacts {
  /// Reads the facts from the database. Lists only indexes of the source's model: other indexes live and die with their
  /// columns.
  init(_ connection: Connection, _ source: SchemaPlan, _ dialect: ServerMigrationDialect) throws {
    self.init()
    for table in source.tables {
      maximumKeys[table.name] = try KeyBlocks.last(source.schema.entity(at: table.root.index), connection)
    }
    let relations = try connection.execute(
      "SELECT upper(relname::text) FROM pg_class WHERE relnamespace = \(ServerSchema.namespace)")
    names = Set((0..<relations.count).compactMap { relations.text($0, 0) })
    let columns = try connection.execute(
      "SELECT upper(attname::text) FROM pg_attribute "
        + "WHERE attrelid = \(ServerSchema.table("achange")) AND attnum > 0 AND NOT attisdropped")
    historyColumns = Set((0..<columns.count).compactMap { columns.text($0, 0) })

    let wanted = try dialect.indexes(source).compactMap { index in ServerIndexName(index).map { ($0, index) } }
    let byName = Dictionary(wanted.map { ($0.0.key, $0) }, uniquingKeysWith: { first, _ in first })
    let rows = try connection.execute(
      """
      SELECT c.relname::text, t.relname::text,
        (SELECT string_agg(a.attname::text, E'\\n') FROM pg_attribute a
          WHERE a.attrelid = t.oid AND a.attnum = ANY (i.indkey)),
        EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = c.oid AND k.contype IN ('u', 'x'))
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
      WHERE NOT i.indisprimary AND c.relnamespace = \(ServerSchema.namespace)
      ORDER BY c.relname
      """)
    for row in 0..<rows.count {
      guard let name = rows.text(row, 0), let table = rows.text(row, 1),
        let (found, index) = byName[ServerIndexName.key(name, table)]
      else { continue }
      let columns = (rows.text(row, 2) ?? "").split(separator: "\n")
      indexes.append(
        Index(
          name: found.bare, table: found.table, sql: index.sql,
          columns: columns.map { SQLName.quoted(SQLName.inCapitals(String($0))) },
          isConstraint: rows.bytes(row, 3).first == 1, isOfModel: true))
    }
  }
}
