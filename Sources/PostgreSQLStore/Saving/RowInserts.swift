internal import CoreData

/// Inserts rows of one entity: a few with one INSERT whose parameters are arrays, many or long ones with COPY.
struct RowInserts {
  /// The smallest number of rows that is inserted with COPY.
  static let copyThreshold = 100

  private let schema: StoreSchema

  init(_ schema: StoreSchema) { self.schema = schema }

  func run(_ rows: [RowSnapshot], into entity: EntitySchema, _ connection: Connection) throws {
    let columns = WriteTexts.insertColumns(entity)
    if rows.count < RowInserts.copyThreshold {
      let values = parameters(rows, columns)
      if values.byteCount <= Parameters.limit {
        try connection.execute(WriteTexts.insert(entity, columns), values)
        return
      }
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(rows.count * columns.count * 16)
    let sql = WriteTexts.copy(entity, columns)
    for row in rows {
      let start = bytes.count
      bytes.append(big: Int16(columns.count))
      for column in columns { column.append(row, schema, to: &bytes) }
      try Parameters.check(bytes.count - start, sql)
    }
    try connection.copy(sql, bytes)
  }

  func parameters(_ rows: [RowSnapshot], _ columns: [WriteColumn]) -> Parameters {
    var parameters = Parameters()
    for column in columns { parameters.add(column, of: rows, schema) }
    return parameters
  }
}
