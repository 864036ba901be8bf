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
      "SELECT upper(relname::text) FROM pg_class "
        + "WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())")
    names = Set((0..<relations.count).compactMap { relations.text($0, 0) })
    let columns = try connection.execute(
      "SELECT upper(attname::text) FROM pg_attribute "
        + "WHERE attrelid = to_regclass('achange') AND attnum > 0 AND NOT attisdropped")
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
      WHERE NOT i.indisprimary AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())
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
          isConstraint: rows.bytes(row, 3).first == 1))
    }
  }
}

/// The names in a statement that makes an index or a constraint.
private struct ServerIndexName {
  let bare: String
  /// The table's name as SQL takes it.
  let table: String

  var key: String { ServerIndexName.key(bare, table) }

  /// Returns a key to compare names by: in lower case and at most 63 bytes long, as on the server.
  static func key(_ name: String, _ table: String) -> String {
    [name, table].map { text in
      let plain = text.replacingOccurrences(of: "\"", with: "").lowercased()
      return String(decoding: plain.utf8.prefix(63), as: UTF8.self)
    }.joined(separator: "\n")
  }

  init?(_ index: PlannedIndex) {
    if let parts = index.parts, let entity = index.constraint?.entity {
      (bare, table) = (ServerIndexName.unquoted(parts.name[...]).name, entity.table)
      return
    }
    guard let start = index.sql.range(of: "INDEX ")?.upperBound else { return nil }
    let (name, rest) = ServerIndexName.unquoted(index.sql[start...])
    guard let place = rest.range(of: " ON ")?.upperBound else { return nil }
    let (table, _) = ServerIndexName.unquoted(rest[place...])
    (bare, self.table) = (name, SQLName.quoted(table))
  }

  /// Splits a text into the name at its start and the rest.
  private static func unquoted(_ text: Substring) -> (name: String, rest: Substring) {
    guard text.first == "\"" else {
      let end = text.firstIndex(of: " ") ?? text.endIndex
      return (String(text[..<end]), text[end...])
    }
    var name = ""
    var rest = text.dropFirst()
    while let end = rest.firstIndex(of: "\"") {
      name += rest[..<end]
      rest = rest[rest.index(after: end)...]
      guard rest.first == "\"" else { break }
      name += "\""
      rest = rest.dropFirst()
    }
    return (name, rest)
  }
}
