/// Reads whole rows of one entity, or of an entity and its subentities. Knows which columns a statement selects, and
/// where each goes in a row.
///
/// The columns: Z_ENT (or the constant 0 where the table is the entity's alone), Z_PK, Z_OPT, the entity's
/// attributes by name, its to-one relationships by name, each followed by the destination's Z_ENT where that
/// varies; then what subentities add, in their order.
///
/// Immutable; any thread.
package final class RowQuery: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  package let entity: EntitySchema
  package let layouts: Range<Int>
  /// The selected columns, with `t0` as the table's alias.
  package let columns: [SQLExpression]
  /// The position of each column, by its name, in a statement that selects `columns`.
  package let places: [String: Int32]
  private let schema: StoreSchema
  /// By layout index minus the first one; nil for entities outside the configuration.
  private let decoders: [RowDecoder?]
  private let hasOneEntity: Bool
  /// Whether rows may refer to files. If so, they hold their files from the transaction on in which they are read.
  private let mayRefer: Bool

  package init(_ schema: StoreSchema, _ layout: EntityLayout, includesSubentities: Bool) throws {
    self.schema = schema
    entity = try schema.entity(layout)
    layouts = includesSubentities ? layout.subtree : layout.index..<(layout.index + 1)
    hasOneEntity = layouts.count == 1
    var names = ["Z_PK", "Z_OPT"]
    var places: [String: Int32] = [:]
    func place(_ name: String) -> Int32 {
      if let place = places[name] { return place }
      names.append(name)
      places[name] = Int32(names.count)
      return Int32(names.count)
    }
    decoders = layouts.map { index in
      schema.entities[index].map { entity in
        RowDecoder(
          entity,
          steps: entity.slots.compactMap { $0 }.map { column in
            RowDecoder.Step(
              column, at: place(column.name), entityColumn: column.entityName.map(place) ?? -1)
          })
      }
    }
    self.places = places
    mayRefer = decoders.contains { $0?.mayRefer == true }
    columns = [RowQuery.entityColumn(entity)] + names.map { .column("t0", $0) }
    entityCondition = RowQuery.condition(schema, entity: entity, layouts: layouts)
  }

  /// Z_ENT, or 0 where the table is the entity's alone.
  static func entityColumn(_ entity: EntitySchema) -> SQLExpression {
    entity.sharesTable ? .column("t0", "Z_ENT") : .number(0)
  }

  /// The first row of a statement that selects `columns`.
  func row(_ statement: Statement, files: ExternalFiles) throws -> RowSnapshot? {
    guard hasOneEntity, let decoder = decoders[0] else { return try rows(statement, files: files).first }
    guard try statement.step() else { return nil }
    defer { statement.builder.trim() }
    let row = try decoder.row(statement, builder: &statement.builder, schema: schema, files: files)
    return mayRefer ? row.holdingFiles(decoder.layout) : row
  }

  /// The rows of a statement that selects `columns`.
  func rows(_ statement: Statement, files: ExternalFiles) throws -> [RowSnapshot] {
    let rows = try decodedRows(statement, files)
    return mayRefer ? rows.map(holdingFiles) : rows
  }

  private func holdingFiles(_ row: RowSnapshot) -> RowSnapshot { row.holdingFiles(schema.layouts[row.entity]) }

  private func decodedRows(_ statement: Statement, _ files: ExternalFiles) throws -> [RowSnapshot] {
    var rows: [RowSnapshot] = []
    var builder = RowBuilder()
    if hasOneEntity, let decoder = decoders[0] {
      while try statement.step() {
        rows.append(try decoder.row(statement, builder: &builder, schema: schema, files: files))
      }
      return rows
    }
    var number: Int64 = -1
    var decoder: RowDecoder?
    while try statement.step() {
      let next = statement.int(0)
      if next != number || decoder == nil {
        number = next
        decoder = self.decoder(ofNumber: next)
      }
      guard let decoder else { throw entity.misplaced(rowOf: statement, at: files.store) }
      rows.append(try decoder.row(statement, builder: &builder, schema: schema, files: files))
    }
    return rows
  }

  /// The rows of a statement that selects `columns` and, after them, the key of the relationship's owner.
  func memberRows(_ statement: Statement, files: ExternalFiles) throws -> [MemberRow] {
    var rows: [MemberRow] = []
    var builder = RowBuilder()
    let place = Int32(columns.count)
    while try statement.step() {
      guard let decoder = hasOneEntity ? decoders[0] : self.decoder(ofNumber: statement.int(0)) else {
        throw entity.misplaced(rowOf: statement, at: files.store)
      }
      let row = try decoder.row(statement, builder: &builder, schema: schema, files: files)
      rows.append(MemberRow(owner: statement.int(place), row: mayRefer ? holdingFiles(row) : row))
    }
    return rows
  }

  /// The decoder of rows with a Z_ENT; nil if it is none of the query's entities.
  private func decoder(ofNumber number: Int64) -> RowDecoder? {
    guard let index = schema.index(ofNumber: Int(number)), layouts.contains(index) else { return nil }
    return decoders[index - layouts.lowerBound]
  }

  /// The condition that keeps rows of other entities out, and the values of its parameters; nil where the table
  /// has none.
  package let entityCondition: (condition: SQLExpression, numbers: [Binding])?

  private static func condition(
    _ schema: StoreSchema, entity: EntitySchema, layouts: Range<Int>
  ) -> (condition: SQLExpression, numbers: [Binding])? {
    guard entity.sharesTable else { return nil }
    let numbers = schema.numbers(layouts)
    // A fetch of a root with its subentities finds all rows of the table.
    if entity.layout.isRoot, !entity.hasUnknownEntities, numbers.count == schema.numbers(entity.layout.subtree).count {
      return nil
    }
    let bindings = numbers.map { Binding.int(Int64($0)) }
    let column = SQLExpression.column("t0", "Z_ENT")
    if numbers.count == 1 { return (.infix(column, "=", .bound(bindings[0])), bindings) }
    return (.infix(column, "IN", .list(bindings.map(SQLExpression.bound))), bindings)
  }
}

extension EntitySchema {
  /// The failure of a statement's row, which begins with Z_ENT and Z_PK, and is of none of the entities that it may be.
  func misplaced(rowOf statement: Statement, at url: URL) -> Failure {
    .incompatibleSchema(
      url: url, table: table,
      what: "the row \(statement.int(1)) has Z_ENT \(statement.int(0)), which is not \(layout.name)'s")
  }
}
