/// The parts of a migration's statements that differ between engines.
package protocol MigrationDialect {
  var sql: SQLDialect { get }

  /// The engine's name for the type of keys.
  var integer: String { get }

  /// The engine's name for the type of bytes.
  var bytes: String { get }

  /// Whether dropping a column rewrites its table.
  var rewritesTables: Bool { get }

  /// A column's type: the engine's name for it, and the declaration in a table.
  func type(of column: TablePlan.Column, in table: TablePlan, _ schema: StoreSchema) -> MigrationColumnType

  func create(_ table: TablePlan, named name: String, _ schema: StoreSchema) -> String

  func create(_ join: JoinTable, named name: String) -> String

  /// The statement that inserts the rows of a selection, except those whose key already exists.
  func insertOnce(_ target: String, _ selection: String) -> String

  /// A property's value as a literal; nil if no column can hold it.
  func literal(_ value: Binding, _ property: LayoutProperty) -> String?

  func indexes(_ plan: SchemaPlan) throws -> [PlannedIndex]

  func drop(_ index: MigrationFacts.Index) -> String
}

package struct MigrationColumnType {
  package let name: String
  package let declaration: String

  package init(name: String, declaration: String) {
    self.name = name
    self.declaration = declaration
  }
}

extension MigrationVersions {
  /// The statements that derive the values that the source did not have, or that may differ now because the expression
  /// or a property on its path has changed; and those that create the triggers. For when all rows are in their tables.
  func derivedValues() throws -> MigrationStatements {
    let schema = destination.schema
    let statements = try DerivedTriggers.deriveStatements(schema, dialect.sql) { entity, property, path in
      let index = DestinationEntity(index: entity.layout.index)
      guard path.count <= 1, let sourceProperty = sourceProperty(of: property, in: index),
        let derived = property.description as? NSDerivedAttributeDescription,
        let sourceDerived = sourceProperty.description as? NSDerivedAttributeDescription
      else { return true }
      if derived.derivationFormat != sourceDerived.derivationFormat { return true }
      if path.isEmpty { return false }
      guard let read = path.first.flatMap({ entity.layout.property(named: $0) }), !read.isRelationship,
        let sourceRead = self.sourceProperty(of: read, in: index), sourceRead.name == read.name,
        sourceRead.isOptional == read.isOptional
      else { return true }
      return false
    }
    var result = MigrationStatements()
    result.finishing = statements.map { .init(sql: $0, purpose: "deriving values") }
    result.finishing += try DerivedTriggers.createStatements(schema, dialect.sql).map {
      .init(sql: $0, purpose: "making a trigger")
    }
    return result
  }

  /// The type of a destination's column.
  func type(of column: TablePlan.Column, in table: TablePlan) -> MigrationColumnType {
    dialect.type(of: column, in: table, destination.schema)
  }
}

package struct SQLiteMigrationDialect: MigrationDialect {
  package var sql: SQLDialect { .sqlite }
  package var integer: String { "INTEGER" }
  package var bytes: String { "BLOB" }
  package var rewritesTables: Bool { true }

  package init() {}

  package func type(of column: TablePlan.Column, in table: TablePlan, _ schema: StoreSchema) -> MigrationColumnType {
    MigrationColumnType(name: column.type.sql, declaration: column.type.sql)
  }

  package func create(_ table: TablePlan, named name: String, _ schema: StoreSchema) -> String {
    SchemaPlan.create(table, named: name)
  }

  package func create(_ join: JoinTable, named name: String) -> String { SchemaPlan.create(join, named: name) }

  package func insertOnce(_ target: String, _ selection: String) -> String {
    "INSERT OR IGNORE INTO \(target) \(selection)"
  }

  package func literal(_ value: Binding, _ property: LayoutProperty) -> String? {
    if case .double(let number) = value, !number.isFinite {
      return number.isNaN ? nil : number < 0 ? "-9e999" : "9e999"
    }
    return value.literal
  }

  package func indexes(_ plan: SchemaPlan) throws -> [PlannedIndex] { try plan.indexes(.sqlite) }

  package func drop(_ index: MigrationFacts.Index) -> String { "DROP INDEX \(SQLName.quoted(index.name))" }
}
