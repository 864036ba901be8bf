internal import CSQLite

/// Moves the columns of one entity's row into the slots of a `RowSnapshot`, without dictionaries or boxed values.
///
/// Immutable; any thread.
final class RowDecoder: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  struct Step {
    let form: RowForm
    let isTagged: Bool
    let mayHaveTag: Bool
    let isPolymorphic: Bool
    let column: Int32
    let slot: Int
    let word: Int
    /// The column with the destination's Z_ENT, or -1.
    let entityColumn: Int32
    /// Layout index of the declared destination.
    let destination: Int

    init(_ column: SlotColumn, at index: Int32, entityColumn: Int32) {
      let property = column.property
      form = property.form
      isTagged = column.isTagged
      mayHaveTag = column.mayHaveTag
      slot = property.slot
      word = property.word
      self.column = index
      self.entityColumn = entityColumn
      destination = property.destination
      isPolymorphic = property.isPolymorphic
    }
  }

  let layout: EntityLayout
  /// Whether rows may refer to files.
  let mayRefer: Bool
  private let steps: UnsafeMutablePointer<Step>

  init(_ entity: EntitySchema, steps: [Step]) {
    layout = entity.layout
    self.steps = .allocate(capacity: max(steps.count, 1))
    self.steps.initialize(from: steps, count: steps.count)
    count = steps.count
    mayRefer = steps.contains(where: \.isTagged)
  }

  private let count: Int

  deinit {
    steps.deinitialize(count: count)
    steps.deallocate()
  }

  // Inlined by force, as the count of `fire` asks for; see CONTRIBUTING.md.
  /// The current row of a statement.
  @inline(__always)
  func row(
    _ statement: Statement, builder: inout RowBuilder, schema: StoreSchema, files: ExternalFiles
  ) throws -> RowSnapshot {
    builder.beginRow(layout)
    let handle = statement.handle
    let values = ColumnValues(handle)
    for index in 0..<count {
      let step = steps + index
      let value = values[step.pointee.column]
      let type = sqlite3_value_type(value)
      if type == SQLITE_NULL { continue }
      switch step.pointee.form {
      case .text:
        guard let text = sqlite3_value_text(value) else { throw Statement.noMemory(statement.sql) }
        builder.setBytes(
          UnsafeRawBufferPointer(start: text, count: Int(sqlite3_value_bytes(value))),
          slot: step.pointee.slot, word: step.pointee.word)
      case .integer:
        builder.setInt(sqlite3_value_int64(value), slot: step.pointee.slot, word: step.pointee.word)
      case .real:
        builder.setDouble(sqlite3_value_double(value), slot: step.pointee.slot, word: step.pointee.word)
      case .destination:
        let key = sqlite3_value_int64(value)
        // No row has such a key; in memory it would stand for an object that no store has seen.
        if key <= 0 { continue }
        builder.setInt(key, slot: step.pointee.slot, word: step.pointee.word)
        if step.pointee.isPolymorphic {
          try setEntity(step.pointee, handle: handle, builder: &builder, schema: schema, files: files)
        }
      case .uuid, .decimal, .bytes, .none:
        setOther(step.pointee, type: type, statement: statement, builder: &builder, files: files)
        try statement.checkMemory()
      }
    }
    let key = sqlite3_value_int64(values[1])
    guard key > 0 else {
      throw misfit(schema, files: files, what: "a row has the Z_PK \(key)")
    }
    return builder.finishRow(
      key: key, version: sqlite3_value_int64(values[2]), entity: layout.index)
  }

  private func misfit(_ schema: StoreSchema, files: ExternalFiles, what: String) -> Failure {
    .incompatibleSchema(url: files.store, table: schema.entity(at: layout.index).table, what: what)
  }

  /// Sets the second word of a to-one relationship whose destination has subentities.
  private func setEntity(
    _ step: Step, handle: OpaquePointer, builder: inout RowBuilder, schema: StoreSchema,
    files: ExternalFiles
  ) throws {
    var entity = step.destination
    if step.entityColumn >= 0 {
      let number = Int(sqlite3_column_int64(handle, step.entityColumn))
      if number != 0 {
        guard let found = schema.index(ofNumber: number),
          schema.layouts[step.destination].subtree.contains(found)
        else {
          let destination = schema.layouts[step.destination].name
          throw misfit(
            schema, files: files,
            what: "\(layout.slots[step.slot].name) of row \(sqlite3_column_int64(handle, 1)) leads to "
              + "Z_ENT \(number), which is not \(destination)'s")
        }
        entity = found
      }
    }
    builder.setInt(Int64(entity), slot: step.slot, word: step.word + 1)
  }

  /// Sets a value of one of the rarer forms.
  private func setOther(
    _ step: Step, type: Int32, statement: Statement, builder: inout RowBuilder, files: ExternalFiles
  ) {
    switch step.form {
    case .uuid:
      if let uuid = statement.uuid(step.column) { builder.setUUID(uuid, slot: step.slot, word: step.word) }
    case .decimal:
      builder.setDecimal(statement.decimal(step.column, type: type) ?? .nan, slot: step.slot, word: step.word)
    case .bytes where step.isTagged:
      let bytes = statement.blobBytes(step.column)
      if let name = ExternalFiles.reference(inTagged: bytes) {
        builder.setReference(name, source: files.source, slot: step.slot, word: step.word)
      } else {
        builder.setBytes(ExternalFiles.value(inTagged: bytes), slot: step.slot, word: step.word)
      }
    case .bytes where step.mayHaveTag:
      let bytes = statement.blobBytes(step.column)
      let property = layout.slots[step.slot]
      guard let archive = self.archive(ofTagged: bytes, property, row: statement.int(1), files) else {
        return builder.setBytes(bytes, slot: step.slot, word: step.word)
      }
      archive.withUnsafeBytes { builder.setBytes($0, slot: step.slot, word: step.word) }
    case .bytes:
      builder.setBytes(statement.blobBytes(step.column), slot: step.slot, word: step.word)
    case .integer, .real, .text, .destination, .none:
      break
    }
  }

  /// See `ExternalFiles.archive`. A file that can't be read is reported, and the row has the column as it is: all but
  /// this value can be read.
  private func archive(
    ofTagged bytes: UnsafeRawBufferPointer, _ property: LayoutProperty, row: Int64, _ files: ExternalFiles
  ) -> Data? {
    do { return try files.archive(ofTagged: bytes, property) } catch {
      UnreadableValues.report(error, property, row: row, file: ExternalFiles.fileName(inTagged: bytes) ?? "")
      return nil
    }
  }
}
