/// The functions that only migrations call.
///
/// | name | arguments | result |
/// |---|---|---|
/// | NSCoreDataTaggedData | data | the data behind a tag byte, for a column whose data may be in an external file |
/// | NSCoreDataMigratedColumns | the source's Z_ENT, the bits of a recorded change | the bits for the new model |
package enum MigrationFunctions {
  static let tagging = "NSCoreDataTaggedData"
  package static let columns = "NSCoreDataMigratedColumns"

  static func register(in connection: Connection, _ maps: [Int: HistoryColumnMap]) throws {
    try connection.register(function: tagging, argumentCount: 1, isInnocuous: false) { arguments in
      arguments[0].blobBytes.map { .blob([1] + $0) } ?? .null
    }
    try connection.register(function: columns, argumentCount: 2, isInnocuous: false) { arguments in
      guard let bytes = arguments[1].blobBytes else { return .null }
      return .blob(maps[Int(arguments[0].int)].map { $0(bytes) } ?? Array(bytes))
    }
  }
}
