internal import CoreData
import Foundation

/// One column that a statement writes for many rows, and where its values come from.
struct WriteColumn {
  enum Source {
    case key
    /// The row's version.
    case version
    case entity(Int64)
    case slot(RowForm, slot: Int, word: Int)
    /// The Z_ENT of a to-one's destination.
    case destinationEntity(slot: Int, word: Int)
  }

  let name: String
  let type: ServerType
  let source: Source

  /// The columns of an attribute or to-one relationship.
  static func columns(_ column: SlotColumn) -> [WriteColumn] {
    let property = column.property
    let value = WriteColumn(
      name: column.name, type: ServerType(property.form),
      source: .slot(property.form, slot: property.slot, word: property.word))
    guard let name = column.entityName else { return [value] }
    let entity = WriteColumn(
      name: name, type: .integer, source: .destinationEntity(slot: property.slot, word: property.word + 1))
    return [value, entity]
  }

  // Inlined by force for `insert` on a server; see CONTRIBUTING.md.
  /// Appends a row's value, with its length in front.
  @inline(__always)
  func append(_ row: RowSnapshot, _ schema: StoreSchema, to bytes: inout [UInt8]) {
    switch source {
    case .slot(let form, let slot, let word): bytes.append(row, form: form, slot: slot, word: word)
    case .key: append(row.key, to: &bytes)
    case .version: append(row.version, to: &bytes)
    case .entity(let number): append(number, to: &bytes)
    case .destinationEntity(let slot, let word):
      if row.isNull(slot: slot) { return bytes.appendNull() }
      append(Int64(schema.entity(at: Int(row.int(word: word))).number), to: &bytes)
    }
  }

  private func append(_ number: Int64, to bytes: inout [UInt8]) {
    bytes.append(big: Int32(8))
    bytes.append(big: number)
  }
}

extension Parameters {
  /// Adds an array parameter with the rows' values of a column.
  mutating func add(_ column: WriteColumn, of rows: [RowSnapshot], _ schema: StoreSchema) {
    addArray(of: column.type, count: rows.count) { bytes in
      bytes.reserveCapacity(bytes.count + rows.count * 16)
      for row in rows { column.append(row, schema, to: &bytes) }
    }
  }
}
