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
    var sets: [(column: String, value: SQLExpression)] = []
    var perRow: [SlotColumn] = []
    var tagged: [SlotColumn] = []
    for property in update.constants {
      let column = try BatchUpdatePlan.column(property, entity)
      var binding = Binding(update.values, property)
      if column.isTagged {
        tagged.append(column)
        if case .blob(let value) = binding {
          if value.count > ExternalFiles.threshold {
            perRow.append(column)
            continue
          }
          binding = .blob(Data([1]) + value)
        }
      }
      let isText = dialect == .postgreSQL && property.form == .decimal && binding != .null
      sets.append((column.name, isText ? .cast(.bound(binding), .decimal) : .bound(binding)))
    }
    let scope = QueryScope(schema, layout)
    for (property, node) in update.expressions {
      let column = try BatchUpdatePlan.column(property, entity)
      sets.append(
        (
          column.name,
          try BatchUpdatePlan.value(node, property: property, column: column, translator: translator, scope: scope)
        ))
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
      for set in sets {
        printer.write("\(set.column) =")
        printer.print(set.value)
        printer.write(", ")
      }
      printer.write("Z_OPT = (Z_OPT + 1)  ")
      guard found != nil else { return printer.write(rows) }
      let number = entity.sharesTable ? "Z_ENT" : "\(entity.number)::bigint"
      printer.write("FROM z_found WHERE Z_PK = z_key RETURNING \(number), Z_PK")
    }
    self.perRow = perRow
    let names = tagged.map(\.name).joined(separator: ", ")
    files = tagged.isEmpty ? nil : "SELECT \(names) FROM \(entity.table) \(rows)"
  }

  private static func column(_ property: LayoutProperty, _ entity: EntitySchema) throws -> SlotColumn {
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
