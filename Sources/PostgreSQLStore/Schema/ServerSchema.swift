internal import CoreData
import Foundation

/// Reads the database's own description: numbers of entities, tables and columns.
enum ServerSchema {
  /// The SQL for the number of the schema that has the store's tables: the first one of the search path that exists.
  static let namespace = "(SELECT oid FROM pg_namespace WHERE nspname = current_schema())"

  /// Returns the SQL for the number of a table in that schema, null if it is not there. `to_regclass` would go on to
  /// look in the other schemas of the path, which may have tables of another store.
  ///
  /// - Parameter name: in lower case.
  static func table(_ name: String) -> String {
    "(SELECT oid FROM pg_class WHERE relnamespace = \(namespace) AND relname = '\(name)')"
  }

  static func read(_ connection: Connection, url: URL, metadata: [String: Any]) throws -> ExistingSchema {
    let rows = try connection.execute("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT")
    let entities = (0..<rows.count).map { row in
      ExistingSchema.Entity(
        number: Int(rows.int(row, 0)), name: rows.text(row, 1) ?? "", parent: Int(rows.int(row, 2)))
    }
    let columns = try connection.execute(
      """
      SELECT c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod),
        EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND a.attnum = ANY (i.indkey))
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE c.relnamespace = \(namespace)
        AND c.relkind IN ('r', 'p', 'v') AND c.relname ILIKE 'z%' AND a.attnum > 0 AND NOT a.attisdropped
      ORDER BY c.relname, a.attnum
      """)
    var tables: [String: [ExistingSchema.Column]] = [:]
    for row in 0..<columns.count {
      guard let table = columns.text(row, 0), let name = columns.text(row, 1) else { continue }
      tables[SQLName.quoted(SQLName.inCapitals(table)), default: []].append(
        ExistingSchema.Column(
          name: SQLName.quoted(SQLName.inCapitals(name)), type: columns.text(row, 2) ?? "",
          isKey: columns.bytes(row, 3).first == 1))
    }
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
    return ExistingSchema(url: url, entities: entities, hashedNames: Set(hashes.keys), tables: tables)
  }

  /// Throws if a column has a type that the store can't read.
  static func checkTypes(of plan: SchemaPlan, _ existing: ExistingSchema, url: URL) throws {
    for table in plan.tables {
      let types = SchemaStatements.types(in: table, plan.schema)
      for column in existing.tables[table.name] ?? [] {
        let isOurs = types[column.name] != nil || ["Z_PK", "Z_ENT", "Z_OPT"].contains(column.name)
        let wanted = (types[column.name] ?? .integer).name
        guard isOurs, column.type != wanted else { continue }
        throw StoreFailure.incompatibleSchema(
          url, table: table.name, "its column \(column.name) is of the type \(column.type), not \(wanted)")
      }
    }
  }
}
