/// The statement of a batch update. Pure: it leaves the writing of files to the run, see `perRow`.
package struct BatchUpdatePlan {
  /// Changes the noted rows, or those that it finds itself, and adds one to their versions.
  package let update: SQLFragment
  /// The columns whose new value is too long for them: each row gets a file of its own.
  let perRow: [SlotColumn]
  /// Selects the columns that may name files, to be read before the update; nil if there are none.
  let files: String?

  /// - Parameter finding: how the statement finds the rows itself, and returns their Z_ENT and Z_PK. In PostgreSQL
  ///   others may write meanwhile, so the rows are locked, and the condition still holds for them. nil for noted rows.
  package init(
    _ schema: StoreSchema, update: BatchUpdate, translator: PredicateTranslator,
    finding: (planner: FetchPlanner, query: RowQuery)? = nil
  ) throws {
    let layout = update.rows.layout
    let entity = try schema.entity(layout)
    let dialect = translator.dialect
    let rows = "WHERE Z_PK IN (\(BatchRows(schema, dialect).keys(layout.root)))"
    let scope = QueryScope(schema, layout)
    var columns = BatchAssignments(entity: entity, dialect: dialect)
    for property in update.constants { try columns.set(property, of: update.values) }
    for (property, node) in update.expressions {
      try columns.set(property, to: node, translator: translator, scope: scope)
    }
    guard scope.joins.isEmpty else {
      throw scope.unsupported("A key path to another object in a batch update")
    }
    let found = try finding.map { try $0.planner.select(update.rows, $0.query, columns: [.column("t0", "Z_PK")]) }
    self.update = SQLPrinter.print(dialect) { printer in
      if let found {
        printer.write("WITH z_found (z_key) AS (")
        printer.print(found)
        printer.write(" FOR UPDATE OF t0) ")
      }
      printer.write(
        "UPDATE \(dialect == .sqlite ? "OR FAIL " : "")\(entity.table)\(update.expressions.isEmpty ? "" : " AS t0") SET "
      )
      for set in columns.sets {
        printer.write("\(set.column) =")
        printer.print(set.value)
        printer.write(", ")
      }
      printer.write("Z_OPT = (Z_OPT + 1)  ")
      guard found != nil else { return printer.write(rows) }
      let number = entity.sharesTable ? "Z_ENT" : "\(entity.number)::bigint"
      printer.write("FROM z_found WHERE Z_PK = z_key RETURNING \(number), Z_PK")
    }
    perRow = columns.perRow
    let names = columns.tagged.map(\.name).joined(separator: ", ")
    files = columns.tagged.isEmpty ? nil : "SELECT \(names) FROM \(entity.table) \(rows)"
  }
}

/// What a batch update sets.
private struct BatchAssignments {
  let entity: EntitySchema
  let dialect: SQLDialect
  private(set) var sets: [(column: String, value: SQLExpression)] = []
  /// Columns that take a constant, but may name a file.
  private(set) var tagged: [SlotColumn] = []
  /// Those of them that are not in `sets`, since the constant is too long for them.
  private(set) var perRow: [SlotColumn] = []

  init(entity: EntitySchema, dialect: SQLDialect) {
    self.entity = entity
    self.dialect = dialect
  }

  /// Sets a column to its value in a row.
  mutating func set(_ property: LayoutProperty, of row: RowSnapshot) throws {
    let column = try column(property)
    var binding = Binding(row, property)
    if column.isTagged {
      tagged.append(column)
      if case .blob(let value) = binding {
        if value.count > ExternalFiles.threshold { return perRow.append(column) }
        binding = .blob(Data([1]) + value)
      }
    }
    let isText = dialect == .postgreSQL && property.form == .decimal && binding != .null
    sets.append((column.name, isText ? .cast(.bound(binding), .decimal) : .bound(binding)))
  }

  /// Sets a column to what an expression gives for each row.
  mutating func set(
    _ property: LayoutProperty, to node: ExpressionNode, translator: PredicateTranslator, scope: QueryScope
  ) throws {
    let column = try column(property)
    let value = try BatchAssignments.value(
      node, property: property, column: column, translator: translator, scope: scope)
    sets.append((column.name, value))
  }

  private func column(_ property: LayoutProperty) throws -> SlotColumn {
    guard let column = entity.slots[property.slot] else {
      throw Failure.unknownKeyPath(keyPath: property.name, entity: entity.layout.name, missing: property.name)
    }
    return column
  }

  /// A computed value of the column's type. Throws if the expression gives another type.
  private static func value(
    _ node: ExpressionNode, property: LayoutProperty, column: SlotColumn, translator: PredicateTranslator,
    scope: QueryScope
  ) throws -> SQLExpression {
    let operand = try translator.operand(node, scope)
    guard case .value(let value, let kind) = operand else {
      throw scope.unsupported("What \(property.name) is to become in a batch update")
    }
    if column.isTagged || kind.map({ !$0.isCompatible(with: property.kind) }) ?? !property.kind.isNumber {
      throw Failure.malformedBatchRequest(
        entity: scope.source.layout.name,
        what: "the expression for \(property.name) of a batch update gives a value of another type")
    }
    let isCast = property.form == .integer && kind?.form != .integer
    guard isCast else { return value }
    // A cast to an integer truncates in SQLite, but rounds in PostgreSQL.
    return translator.dialect == .sqlite ? .cast(value, .integer) : .call("trunc", [value])
  }
}

extension SlotKind {
  fileprivate var isNumber: Bool { form == .integer || form == .real || form == .decimal }

  /// Whether a column of kind `other` holds values of this kind: the kinds are equal, or both are numbers.
  fileprivate func isCompatible(with other: SlotKind) -> Bool { self == other || isNumber && other.isNumber }
}
