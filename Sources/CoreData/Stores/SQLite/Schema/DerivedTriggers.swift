/// The triggers that maintain derived attributes.
///
/// | trigger of `Z_DA_<table>_<entity>_<attribute>` | on | does |
/// |---|---|---|
/// | `…_SOURCE_INSERT`, `…_SOURCE_UPDATE` | the entity's table | derives the row's own value |
/// | `…_PARAMETER_INSERT`, `_UPDATE`, `_DELETE` | the table that the expression reads | derives the owners' values |
///
/// Each trigger computes the whole expression again. Then it calls a function, which tells the store the rows whose
/// value differs from the one written. An update is noticed by the row's version, which every save sets. A trigger
/// never sets a version, so its own update fires no trigger.
///
/// The names begin like Apple's; the bodies are our own.
///
/// In PostgreSQL the trigger's body is a function. It locks the rows that it derives values for before it reads others,
/// so if two transactions change one value, the second sees the change of the first. It records the rows in a table, if
/// the connection has one, instead of calling a function. It finds tables and functions in the schema of the table that
/// it was called for, whatever the search path of the program that writes, and that path is back when it ends.
package struct DerivedTriggers {
  private let schema: StoreSchema
  private let entity: EntitySchema
  private let property: LayoutProperty
  private let column: String
  /// Makes the sub-select of one row's value from an expression for the row's key.
  private let value: (_ row: String) -> String
  private let paths: [[String]]
  private let dialect: SQLDialect

  package static func createStatements(_ schema: StoreSchema, _ dialect: SQLDialect = .sqlite) throws -> [String] {
    try schema.entities.compactMap { $0 }.flatMap { entity -> [String] in
      try entity.layout.slots.filter {
        $0.description is NSDerivedAttributeDescription && $0.declaringEntity == entity.layout.index
          && !$0.isTransient
      }.flatMap { try DerivedTriggers(schema, entity: entity, property: $0, dialect: dialect).statements() }
    }
  }

  /// The statements that replace the functions of a server's triggers. The triggers stay as they are.
  package static func functionStatements(_ schema: StoreSchema) throws -> [String] {
    try createStatements(schema, .postgreSQL).filter { $0.hasPrefix(replacing) }
  }

  private static let replacing = "CREATE OR REPLACE FUNCTION "

  /// The statements that derive the values of all existing rows, without telling the store.
  package static func deriveStatements(
    _ schema: StoreSchema, _ dialect: SQLDialect = .sqlite,
    where isWanted: (EntitySchema, LayoutProperty, _ path: [String]) -> Bool
  ) throws -> [String] {
    try schema.entities.compactMap { $0 }.flatMap { entity -> [String] in
      try entity.layout.slots.filter {
        $0.description is NSDerivedAttributeDescription && $0.declaringEntity == entity.layout.index
          && !$0.isTransient
      }.compactMap { property in
        let derived = try DerivedTriggers(schema, entity: entity, property: property, dialect: dialect)
        guard isWanted(entity, property, derived.path) else { return nil }
        return "UPDATE \(entity.table) SET \(derived.column) = \(derived.value("\(entity.table).Z_PK")) "
          + "WHERE \(derived.ownRows)"
      }
    }
  }

  private init(
    _ schema: StoreSchema, entity: EntitySchema, property: LayoutProperty, dialect: SQLDialect
  ) throws {
    self.dialect = dialect
    self.schema = schema
    self.entity = entity
    self.property = property
    let description = unsafeDowncast(property.description, to: NSDerivedAttributeDescription.self)
    guard let column = entity.slots[property.slot]?.name else {
      throw Failure.unsupportedFeature("The derived attribute \(entity.layout.name).\(property.name)")
    }
    self.column = column
    guard let node = try description.derivationNode() else {
      throw Failure.unsupportedFeature(
        "The derived attribute \(entity.layout.name).\(property.name), which has no derivation,")
    }
    if description.filteringPredicate != nil {
      throw Failure.unsupportedFeature(
        "The filtering predicate of the derived attribute \(entity.layout.name).\(property.name)")
    }
    paths = DerivedTriggers.paths(in: node)
    let scope = QueryScope(schema, entity.layout)
    var select = SelectStatement(from: .named(entity.table, as: "t0"))
    if case .function("now", _) = node {
      select.columns = [.word(dialect.now)]
    } else {
      let translator = PredicateTranslator(store: nil, dialect: dialect)
      select.columns = [try translator.expression(translator.operand(node, scope), scope)]
    }
    select.joins = scope.joins
    let text = select.fragment(dialect)
    guard text.bindings.isEmpty else {
      throw Failure.unsupportedFeature(
        "A constant in the derivation of \(entity.layout.name).\(property.name)")
    }
    value = { "(\(text.sql) WHERE t0.Z_PK = \($0))" }
  }

  /// The key paths in an expression, which lead to the values that it depends on.
  private static func paths(in node: ExpressionNode) -> [[String]] {
    switch node {
    case .keyPath(let path): return [path]
    case .function(_, let arguments): return arguments.flatMap(paths(in:))
    case .nested(let base, let rest): return paths(in: base).map { $0 + rest }
    default: return []
    }
  }

  /// The longest key path in the expression.
  private var path: [String] { paths.max { $0.count < $1.count } ?? [] }

  private var name: String { "Z_DA_\(entity.table)_\(entity.layout.name)_\(property.name)" }

  /// The entity's own rows and those of its subentities.
  private var ownRows: String {
    let numbers = schema.numbers(entity.layout.subtree).map(String.init)
    return "Z_ENT IN (\(numbers.joined(separator: ", ")))"
  }

  /// The SQL that derives the values of the rows that meet `condition`.
  private func derive(_ condition: String) -> String {
    if dialect == .postgreSQL {
      let rows = "FROM \(entity.table) WHERE \(ownRows) AND \(condition)"
      return "PERFORM 1 \(rows) ORDER BY Z_PK FOR NO KEY UPDATE; "
        + "UPDATE \(entity.table) SET \(column) = \(value("\(entity.table).Z_PK")) WHERE \(ownRows) AND \(condition); "
        + "IF to_regclass('pg_temp._z_derived') IS NOT NULL THEN "
        + "INSERT INTO pg_temp._Z_DERIVED (Z_ENT, Z_PK) SELECT Z_ENT, Z_PK \(rows); END IF;"
    }
    return "UPDATE \(entity.table) SET \(column) = \(value("\(entity.table).Z_PK")) WHERE \(ownRows) AND \(condition); "
      + "SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue(\(SQLName.literal(entity.table)), Z_ENT, Z_PK, "
      + "\(SQLName.literal(property.name)), \(column)) FROM \(entity.table) WHERE \(ownRows) AND \(condition);"
  }

  private func trigger(_ suffix: String, event: String, table: String, bodies: [String]) -> [String] {
    if dialect == .postgreSQL {
      let name = "\"" + DerivedTriggers.short("\(name)_\(suffix)").replacingOccurrences(of: "\"", with: "\"\"") + "\""
      return [
        "\(DerivedTriggers.replacing)\(name)() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $f$ "
          + "BEGIN PERFORM set_config('search_path', quote_ident(TG_TABLE_SCHEMA) || ', pg_temp', true); "
          + "\(bodies.joined(separator: " ")) RETURN NULL; END $f$",
        "CREATE TRIGGER \(name) AFTER \(event) ON \(table) FOR EACH ROW EXECUTE FUNCTION \(name)()",
      ]
    }
    return [sqliteTrigger(suffix, event: event, table: table, bodies: bodies)]
  }

  /// The name, or for one that a server would cut a number computed from all of it and its last characters.
  private static func short(_ name: String) -> String {
    if name.utf8.count <= SQLName.serverLength { return name }
    let end = name.unicodeScalars.suffix(10).filter(\.isASCII).map(String.init).joined()
    return "Z_DA_\(SQLName.number(of: name))_\(end)"
  }

  private func sqliteTrigger(_ suffix: String, event: String, table: String, bodies: [String]) -> String {
    "CREATE TRIGGER IF NOT EXISTS \(SQLName.quoted("\(name)_\(suffix)")) AFTER \(event) ON \(table) FOR EACH ROW "
      + "BEGIN \(bodies.joined(separator: " ")) END"
  }

  private func statements() throws -> [String] {
    let own =
      trigger("SOURCE_INSERT", event: "INSERT", table: entity.table, bodies: [derive("Z_PK = NEW.Z_PK")])
      + trigger("SOURCE_UPDATE", event: "UPDATE OF Z_OPT", table: entity.table, bodies: [derive("Z_PK = NEW.Z_PK")])
    let derivation = "The derivation of \(entity.layout.name).\(property.name)"
    // A trigger that writes a derived value fires no other one.
    guard !paths.contains(where: readsDerivedValue) else {
      throw Failure.unsupportedFeature("\(derivation) from another derived attribute")
    }
    let remote = paths.filter { $0.first.flatMap(entity.layout.property(named:))?.isRelationship == true }
    guard let path = remote.first, let relationship = entity.layout.property(named: path[0]) else { return own }
    guard
      remote.allSatisfy({ path in
        path[0] == relationship.name && path.count <= 3
          && !path.dropFirst().contains { isRelationship($0, behind: relationship) }
      })
    else { throw Failure.unsupportedFeature("\(derivation) over more than one relationship") }
    return own + parameterTriggers(relationship)
  }

  private func readsDerivedValue(_ path: [String]) -> Bool {
    entity.layout.attribute(path.filter { !$0.hasPrefix("@") })?.description is NSDerivedAttributeDescription
  }

  private func isRelationship(_ name: String, behind relationship: LayoutProperty) -> Bool {
    schema.layouts[relationship.destination].property(named: name)?.isRelationship ?? false
  }

  private func parameterTriggers(_ relationship: LayoutProperty) -> [String] {
    guard let destination = schema.entities[relationship.destination] else { return [] }
    if relationship.kind == .toOne {
      guard let key = entity.slots[relationship.slot]?.name else { return [] }
      // A save may insert the destination after the rows that lead to it.
      return [("PARAMETER_INSERT", "INSERT"), ("PARAMETER_UPDATE", "UPDATE OF Z_OPT")].flatMap { suffix, event in
        trigger(suffix, event: event, table: destination.table, bodies: [derive("\(key) = NEW.Z_PK")])
      }
    }
    switch entity.toMany[relationship.toManyIndex] {
    case .foreignKey(let table, let key, _), .hiddenKey(let table, let key, _):
      return trigger("PARAMETER_INSERT", event: "INSERT", table: table, bodies: [derive("Z_PK = NEW.\(key)")])
        + trigger(
          "PARAMETER_UPDATE", event: "UPDATE OF Z_OPT, \(key)", table: table,
          bodies: [derive("Z_PK = NEW.\(key)"), derive("Z_PK = OLD.\(key)")])
        + trigger("PARAMETER_DELETE", event: "DELETE", table: table, bodies: [derive("Z_PK = OLD.\(key)")])
    case .join(let side):
      return trigger(
        "PARAMETER_INSERT", event: "INSERT", table: side.table.name, bodies: [derive("Z_PK = NEW.\(side.owner)")])
        + trigger(
          "PARAMETER_DELETE", event: "DELETE", table: side.table.name, bodies: [derive("Z_PK = OLD.\(side.owner)")])
        + trigger(
          "PARAMETER_UPDATE", event: "UPDATE OF Z_OPT", table: destination.table,
          bodies: [
            derive(
              "Z_PK IN (SELECT \(side.owner) FROM \(side.table.name) WHERE \(side.member) = NEW.Z_PK)")
          ])
    case .none: return []
    }
  }
}

extension NSDerivedAttributeDescription {
  /// The derivation of a model's file or of a model made in code; nil for none.
  final func derivationNode() throws -> ExpressionNode? {
    if let format = storedDerivationFormat { return try PredicateParser.expression(format, arguments: []) }
    return try derivationExpression?.node
  }

  /// The derivation as text in the format of a model's file, even for a model made in code; nil for none.
  final var derivationFormat: String? {
    storedDerivationFormat ?? derivationExpression.flatMap { try? $0.node }.map(PredicatePrinter.print)
  }
}
