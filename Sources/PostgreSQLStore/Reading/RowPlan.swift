internal import CPostgreSQL
internal import CoreData
import Foundation

/// Decodes the result of a statement that selects the columns of a `RowQuery`. It copies libpq's bytes straight into
/// the slots of rows.
///
/// Immutable; safe on any thread.
final class RowPlan: @unchecked Sendable {
  // `@unchecked Sendable`: immutable.

  private struct Step {
    let form: RowForm
    let slot: Int
    let word: Int
    let column: Int32
    /// The column with the destination's Z_ENT, or -1.
    let entityColumn: Int32
    /// The layout index of the declared destination.
    let destination: Int
    let isPolymorphic: Bool
  }

  private struct Decoder {
    let layout: EntityLayout
    let steps: [Step]
  }

  let query: RowQuery
  private let schema: StoreSchema
  /// The store's URL, for errors.
  private let url: URL
  /// The decoders, by layout index minus the first one's; nil for entities outside the configuration.
  private let decoders: [Decoder?]
  private let hasOneEntity: Bool
  /// The types that the columns had when the store was opened. The bytes of another type would be misread.
  private let types: [(column: Int, type: ServerType)]

  init(_ schema: StoreSchema, _ layout: EntityLayout, includesSubentities: Bool, url: URL) throws {
    self.schema = schema
    self.url = url
    let query = try RowQuery(schema, layout, includesSubentities: includesSubentities)
    self.query = query
    hasOneEntity = query.layouts.count == 1
    decoders = query.layouts.map { index in
      schema.entities[index].map { entity in
        Decoder(
          layout: entity.layout,
          steps: entity.slots.compactMap { $0 }.map { column in
            let property = column.property
            return Step(
              form: property.form, slot: property.slot, word: property.word, column: query.places[column.name]!,
              entityColumn: column.entityName.flatMap { query.places[$0] } ?? -1, destination: property.destination,
              isPolymorphic: property.isPolymorphic)
          })
      }
    }
    var types: [Int: ServerType] = [1: .integer, 2: .integer]
    if !hasOneEntity { types[0] = .integer }
    for step in decoders.compactMap({ $0 }).flatMap(\.steps) where step.form != .none {
      types[Int(step.column)] = ServerType(step.form)
      if step.entityColumn >= 0 { types[Int(step.entityColumn)] = .integer }
    }
    self.types = types.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  func rows(_ result: ServerRows, _ watch: FetchWatch? = nil) throws -> [RowSnapshot] {
    var rows: [RowSnapshot] = []
    rows.reserveCapacity(result.count)
    try forEach(result) { index, row in
      if index & 255 == 255 { try watch?.countRows(index) }
      rows.append(row)
    }
    return rows
  }

  /// Decodes the members of a relationship. The result has the owner's key in one more column, after those of the row.
  func memberRows(_ result: ServerRows) throws -> [MemberRow] {
    var rows: [MemberRow] = []
    rows.reserveCapacity(result.count)
    try check(result, query.columns.count, .integer)
    try forEach(result) { rows.append(MemberRow(owner: result.int($0, query.columns.count), row: $1)) }
    return rows
  }

  /// Throws if a column has become another type since the store was opened. The type decides how long a value is.
  private func check(_ result: ServerRows, _ column: Int, _ type: ServerType) throws {
    let found = result.type(column)
    guard found != type.oid else { return }
    throw misfit("its column \(result.name(column)) is of the type with the OID \(found), not \(type.name)")
  }

  private func forEach(_ result: ServerRows, _ body: (Int, RowSnapshot) throws -> Void) throws {
    for (column, type) in types { try check(result, column, type) }
    var builder = RowBuilder()
    var number: Int64 = -1
    var decoder = hasOneEntity ? decoders[0] : nil
    for row in 0..<result.count {
      if !hasOneEntity {
        let next = result.int(row, 0)
        if next != number || decoder == nil {
          number = next
          decoder = schema.index(ofNumber: Int(next)).flatMap {
            query.layouts.contains($0) ? decoders[$0 - query.layouts.lowerBound] : nil
          }
        }
      }
      guard let decoder else {
        let name = query.entity.layout.name
        throw misfit("the row \(result.int(row, 1)) has the Z_ENT \(number), which is not \(name)'s")
      }
      try body(row, self.row(Int32(row), result, decoder, &builder))
    }
  }

  // Inlined by force for `fetch` on a server; see CONTRIBUTING.md.
  @inline(__always)
  private func row(
    _ row: Int32, _ result: ServerRows, _ decoder: Decoder, _ builder: inout RowBuilder
  ) throws -> RowSnapshot {
    builder.beginRow(decoder.layout)
    let handle = result.handle
    for step in decoder.steps {
      if PQgetisnull(handle, row, step.column) != 0 { continue }
      let bytes = UnsafeRawPointer(PQgetvalue(handle, row, step.column)!)
      switch step.form {
      case .integer:
        builder.setInt(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)), slot: step.slot, word: step.word)
      case .real:
        let bits = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
        builder.setDouble(Double(bitPattern: bits), slot: step.slot, word: step.word)
      case .text, .bytes:
        let count = Int(PQgetlength(handle, row, step.column))
        builder.setBytes(UnsafeRawBufferPointer(start: bytes, count: count), slot: step.slot, word: step.word)
      case .uuid: builder.setUUID(bytes.loadUnaligned(as: UUID.self), slot: step.slot, word: step.word)
      case .decimal:
        let count = Int(PQgetlength(handle, row, step.column))
        let decimal = WireDecimal.decimal(UnsafeRawBufferPointer(start: bytes, count: count))
        builder.setDecimal(decimal, slot: step.slot, word: step.word)
      case .destination: try setDestination(step, Int(row), result, bytes, &builder)
      case .none: break
      }
    }
    let key = result.int(Int(row), 1)
    guard key > 0 else { throw misfit("a row has the Z_PK \(key)") }
    return builder.finishRow(key: key, version: result.int(Int(row), 2), entity: decoder.layout.index)
  }

  private func setDestination(
    _ step: Step, _ row: Int, _ result: ServerRows, _ bytes: UnsafeRawPointer, _ builder: inout RowBuilder
  ) throws {
    let key = Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    // No stored row has such a key. In memory, it would mean an object that was never saved.
    if key <= 0 { return }
    builder.setInt(key, slot: step.slot, word: step.word)
    guard step.isPolymorphic else { return }
    var entity = step.destination
    if step.entityColumn >= 0, !result.isNull(row, Int(step.entityColumn)) {
      let number = Int(result.int(row, Int(step.entityColumn)))
      guard let found = schema.index(ofNumber: number), schema.layouts[entity].subtree.contains(found) else {
        throw misfit("a relationship of row \(result.int(row, 1)) leads to the Z_ENT \(number)")
      }
      entity = found
    }
    builder.setInt(Int64(entity), slot: step.slot, word: step.word + 1)
  }

  private func misfit(_ what: String) -> any Error {
    StoreFailure.incompatibleSchema(url, table: query.entity.table, what)
  }
}
