internal import CoreData
import Foundation

/// The statements of saves. Each writes any number of rows of one entity; its parameters are arrays, one per column.
enum WriteTexts {
  static func insertColumns(_ entity: EntitySchema) -> [WriteColumn] {
    [
      WriteColumn(name: "Z_PK", type: .integer, source: .key),
      WriteColumn(name: "Z_ENT", type: .integer, source: .entity(Int64(entity.number))),
      WriteColumn(name: "Z_OPT", type: .integer, source: .version),
    ] + entity.slots.compactMap { $0 }.flatMap(WriteColumn.columns)
  }

  static func changedColumns(_ entity: EntitySchema, _ changed: SlotMask) -> [WriteColumn] {
    var columns: [WriteColumn] = []
    changed.forEach { slot in
      if let column = entity.slots[slot] { columns += WriteColumn.columns(column) }
    }
    return columns
  }

  static func insert(_ entity: EntitySchema, _ columns: [WriteColumn]) -> String {
    "INSERT INTO \(entity.table) (\(names(columns))) SELECT * FROM \(arrays(columns.map(\.type))) AS u WHERE TRUE"
  }

  static func copy(_ entity: EntitySchema, _ columns: [WriteColumn]) -> String {
    "COPY \(entity.table) (\(names(columns))) FROM STDIN (FORMAT binary)"
  }

  /// Updates rows that still have their version. Parameters: keys, the versions as read, the columns.
  static func update(_ entity: EntitySchema, _ columns: [WriteColumn]) -> String {
    let sets = ["Z_OPT = u.v + 1"] + columns.enumerated().map { "\($1.name) = u.c\($0)" }
    let places = columns.indices.map { ", c\($0)" }.joined()
    return "UPDATE \(entity.table) AS t SET \(sets.joined(separator: ", ")) "
      + "FROM \(arrays([.integer, .integer] + columns.map(\.type))) AS u (k, v\(places)) "
      + "WHERE t.Z_PK = u.k AND t.Z_OPT = u.v"
  }

  /// Updates rows, whatever their version. Parameters: keys, the columns.
  static func overwrite(_ entity: EntitySchema, _ columns: [WriteColumn]) -> String {
    let sets = ["Z_OPT = t.Z_OPT + 1"] + columns.enumerated().map { "\($1.name) = u.c\($0)" }
    let places = columns.indices.map { ", c\($0)" }.joined()
    return "UPDATE \(entity.table) AS t SET \(sets.joined(separator: ", ")) "
      + "FROM \(arrays([.integer] + columns.map(\.type))) AS u (k\(places)) WHERE t.Z_PK = u.k"
  }

  /// Deletes rows that still have their version. Parameters: keys, the versions as read.
  static func delete(_ entity: EntitySchema) -> String {
    "DELETE FROM \(entity.table) AS t USING \(arrays([.integer, .integer])) AS u (k, v) "
      + "WHERE t.Z_PK = u.k AND t.Z_OPT = u.v"
  }

  /// Selects rows that still have their version, and locks them against changes until the transaction ends.
  static func check(_ entity: EntitySchema) -> String {
    "SELECT t.Z_PK FROM \(entity.table) AS t JOIN \(arrays([.integer, .integer])) AS u (k, v) "
      + "ON t.Z_PK = u.k AND t.Z_OPT = u.v FOR SHARE OF t"
  }

  /// Locks rows that will be updated, in the order of their keys. Parameter: keys.
  static func lock(_ entity: EntitySchema) -> String {
    "SELECT Z_PK FROM \(entity.table) WHERE Z_PK = ANY ($1) ORDER BY Z_PK FOR NO KEY UPDATE"
  }

  /// Selects the present versions of rows. Parameter: keys.
  static func versions(_ entity: EntitySchema) -> String {
    "SELECT Z_PK, Z_OPT FROM \(entity.table) WHERE Z_PK = ANY ($1)"
  }

  private static func names(_ columns: [WriteColumn]) -> String { columns.map(\.name).joined(separator: ", ") }

  private static func arrays(_ types: [ServerType]) -> String {
    "unnest(" + types.enumerated().map { "$\($0 + 1)::\($1.name)[]" }.joined(separator: ", ") + ")"
  }
}
