/// An index of the file.
package struct PlannedIndex {
  /// The statement that makes it.
  package let sql: String
  /// The uniqueness constraint that it enforces.
  package var constraint: (entity: EntitySchema, attributes: [String])?
  /// The constraint's name, columns and condition on rows, for engines that check constraints at the end of a save.
  package var parts: (name: String, columns: [String], condition: String?)?

  package init(
    sql: String, constraint: (entity: EntitySchema, attributes: [String])? = nil,
    parts: (name: String, columns: [String], condition: String?)? = nil
  ) {
    self.sql = sql
    self.constraint = constraint
    self.parts = parts
  }
}

extension SchemaPlan {
  func createIndexes() throws -> [String] { try indexes(.sqlite).map(\.sql) }

  /// The indexes, table by table: foreign keys, Z_ENT if entities share the table, join tables, and then for each
  /// entity the attributes marked as indexed, the fetch indexes and the uniqueness constraints.
  package func indexes(_ dialect: SQLDialect) throws -> [PlannedIndex] {
    try tables.flatMap { table -> [PlannedIndex] in
      var statements = table.foreignKeys.map { index(table.name, $0) }
      if table.root.hasSubentities { statements.append(index(table.name, "Z_ENT")) }
      statements += table.joins.map {
        "CREATE INDEX \(SQLName.quoted("\($0.name)_\($0.second)_INDEX")) ON \($0.name) (\($0.second), \($0.first))"
      }
      var indexes = statements.map { PlannedIndex(sql: $0) }
      for entity in schema.entities.compactMap({ $0 })
      where entity.layout.rootIndex == table.root.index {
        indexes +=
          try self.indexes(of: entity, dialect).map { PlannedIndex(sql: $0) } + constraints(of: entity, dialect)
      }
      return indexes
    }
  }

  private func index(_ table: String, _ column: String) -> String {
    "CREATE INDEX \(SQLName.quoted("\(table)_\(column)_INDEX")) ON \(table) (\(column))"
  }

  private func indexes(of entity: EntitySchema, _ dialect: SQLDialect) throws -> [String] {
    let description = entity.layout.entity
    var names = Set(description.indexes.map(\.name))
    var statements: [String] = []
    // In the order in which the entity declares them.
    for attribute in description.ownProperties
    where attribute.isIndexed && attribute is NSAttributeDescription {
      guard !attribute.isTransient, names.insert(attribute.name).inserted else { continue }
      statements.append(
        create(entity, name: attribute.name, columns: try columns(attribute.name, entity), dialect: dialect))
    }
    for compound in description.compoundIndexes {
      let properties = compound.map { ($0 as? NSPropertyDescription)?.name ?? "\($0)" }
      let name = properties.joined(separator: "_")
      guard names.insert(name).inserted, properties.allSatisfy({ entity.layout.property(named: $0) != nil }),
        !properties.contains(where: { lacksColumn($0, entity) })
      else { continue }
      statements.append(
        create(entity, name: name, columns: try properties.flatMap { try columns($0, entity) }, dialect: dialect))
    }
    for index in description.indexes {
      if index.elements.contains(where: { $0.collationType == .rTree }) {
        throw Failure.unsupportedFeature("The R-tree index \(index.name) of \(entity.layout.name)")
      }
      if index.elements.contains(where: { lacksColumn($0, entity) }) { continue }
      let elements = try index.elements.flatMap { element -> [(String, Bool)] in
        if let expression = element.property as? NSExpressionDescription {
          return column(of: expression).map { [($0, element.isAscending)] } ?? []
        }
        return try columns(element.propertyName ?? "", entity, isAscending: element.isAscending)
      }
      if elements.isEmpty { continue }
      let condition = try condition(of: index, entity, dialect).map { " WHERE \($0)" } ?? ""
      statements.append(create(entity, name: index.name, columns: elements, dialect: dialect) + condition)
    }
    return statements
  }

  /// The column of an expression: that of the key or of the entity's number; nil for an expression that has none.
  private func column(of expression: NSExpressionDescription) -> String? {
    guard let node = expression.expression.flatMap({ try? $0.node }) else { return nil }
    return switch IndexedExpression(node) {
    case .object: "Z_PK"
    case .entity: "Z_ENT"
    case nil: nil
    }
  }

  /// The condition of a partial index; nil for an index of all rows. It is translated as in a fetch, but has its values
  /// in the text. It may use only the row's own columns, so that every program can write to the table.
  private func condition(
    of index: NSFetchIndexDescription, _ entity: EntitySchema, _ dialect: SQLDialect
  ) throws -> String? {
    let node: PredicateNode
    if let predicate = index.partialIndexPredicate {
      node = try predicate.node
    } else if let format = index.storedPartialIndexPredicateFormat {
      node = try PredicateParser.predicate(format)
    } else {
      return nil
    }
    let scope = QueryScope(schema, entity.layout)
    let translator = PredicateTranslator(store: nil, dialect: dialect)
    let condition = try translator.condition(node.joiningElements(entity.layout), scope)
    guard scope.joins.isEmpty, let text = SQLPrinter.ofRow(condition, dialect) else {
      throw Failure.unsupportedFeature(
        "The partial index \(index.name) of \(entity.layout.name), whose condition is of more than the row's own values "
          + "and SQLite's own functions,")
    }
    return text
  }

  private func constraints(of entity: EntitySchema, _ dialect: SQLDialect) throws -> [PlannedIndex] {
    try zip(entity.layout.entity.constraintNames, entity.layout.constraints).map { stated, names in
      let columns = try names.flatMap { try self.columns($0, entity) }
      // Rows of other entities have values of an inherited attribute, too, but the constraint is not about them.
      let isInherited = names.contains {
        entity.layout.property(named: $0)?.declaringEntity != entity.layout.index
      }
      let name = "UNIQUE_" + stated.joined(separator: "_")
      var statement = create(entity, name: name, columns: columns, dialect: dialect, isUnique: true)
      var condition: String?
      if isInherited {
        let numbers = schema.numbers(entity.layout.subtree)
        condition = "Z_ENT IN (\(numbers.map(String.init).joined(separator: ", ")))"
        statement += " WHERE \(condition!)"
      }
      return PlannedIndex(
        sql: statement, constraint: (entity, names),
        parts: (SQLName.quoted("Z_\(entity.layout.name)_\(name)"), columns.map(\.0), condition))
    }
  }

  private func create(
    _ entity: EntitySchema, name: String, columns: [(name: String, ascending: Bool)], dialect: SQLDialect,
    isUnique: Bool = false
  ) -> String {
    let list = columns.map { "\($0.name) \(SQLName.direction(isAscending: $0.ascending, dialect))" }
    return "CREATE \(isUnique ? "UNIQUE " : "")INDEX \(SQLName.quoted("Z_\(entity.layout.name)_\(name)")) "
      + "ON \(entity.table) (\(list.joined(separator: ", ")))"
  }

  private func lacksColumn(_ element: NSFetchIndexElementDescription, _ entity: EntitySchema) -> Bool {
    if let expression = element.property as? NSExpressionDescription { return column(of: expression) == nil }
    return lacksColumn(element.propertyName ?? "", entity)
  }

  /// Whether a property has no column in the entity's table. Editors let you mark any property as indexed; an index of
  /// a property without a column is left out.
  private func lacksColumn(_ property: String, _ entity: EntitySchema) -> Bool {
    entity.layout.property(named: property)?.leaves.contains { column(of: $0, entity) == nil } ?? false
  }

  /// The columns of a property: one, or those of a composite attribute's elements.
  private func columns(
    _ property: String, _ entity: EntitySchema, isAscending: Bool = true
  ) throws -> [(name: String, ascending: Bool)] {
    let columns = entity.layout.property(named: property)?.leaves.map { column(of: $0, entity) } ?? [nil]
    return try columns.map { column in
      guard let column else {
        throw Failure.unsupportedFeature("An index on \(entity.layout.name).\(property), which has no column")
      }
      return (column.name, isAscending)
    }
  }

  private func column(of leaf: LayoutProperty, _ entity: EntitySchema) -> SlotColumn? {
    leaf.slot < 0 ? nil : entity.slots[leaf.slot]
  }
}

extension SchemaPlan {
  /// The fetch indexes that a store does without because they have expressions among their columns, as
  /// `byLength of Book, over length:(title)`.
  var indexesLeftOut: [String] {
    var found: [String] = []
    for entity in schema.entities.compactMap({ $0 }) {
      for index in entity.layout.entity.indexes {
        let expressions = index.elements.compactMap { $0.property as? NSExpressionDescription }
          .filter { column(of: $0) == nil }
        guard !expressions.isEmpty else { continue }
        let texts = expressions.map { $0.expression?.description ?? $0.name }
        found.append("\(index.name) of \(entity.layout.name), over \(texts.joined(separator: ", "))")
      }
    }
    return found
  }

  /// Prints to standard error which indexes a new store, or one of a new version, does without.
  package func warnOfIndexesLeftOut() {
    let indexes = indexesLeftOut
    if !indexes.isEmpty { warn(.indexesLeftOut(indexes)) }
  }
}

extension MisuseReport {
  fileprivate static func indexesLeftOut(_ indexes: [String]) -> MisuseReport {
    MisuseReport(
      "The store is made without indexes of expressions.", facts: indexes.map { ("Index", $0) },
      how: "The columns of an index are properties, the object (`self`, `objectID`) and its `entity`. Without the "
        + "index fetches find the same objects, but have to look at every row.",
      remedy: "Keep the value in an attribute, such as a derived one, and index that.")
  }
}
