internal import CoreData

/// Inserts rows of one entity: a few by a statement with arrays, many by COPY, from their bytes.
struct RowInserts {
  /// From how many rows on they are copied in.
  static let copyThreshold = 100

  private let schema: StoreSchema

  init(_ schema: StoreSchema) { self.schema = schema }

  func run(_ rows: [RowSnapshot], into entity: EntitySchema, _ connection: Connection) throws {
    let columns = WriteTexts.insertColumns(entity)
    guard rows.count >= RowInserts.copyThreshold else {
      try connection.execute(WriteTexts.insert(entity, columns), parameters(rows, columns))
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(rows.count * columns.count * 16)
    for row in rows {
      bytes.append(big: Int16(columns.count))
      for column in columns { column.append(row, schema, to: &bytes) }
    }
    try connection.copy(WriteTexts.copy(entity, columns), bytes)
  }

  func parameters(_ rows: [RowSnapshot], _ columns: [WriteColumn]) -> Parameters {
    var parameters = Parameters()
    for column in columns { parameters.add(column, of: rows, schema) }
    return parameters
  }
}
