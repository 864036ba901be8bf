/// An index of a file. Its name may spell the names of properties.
struct StoredIndex {
  let name: String
  /// The table's name in capitals, quoted if SQL needs it.
  let table: String
  /// The names of the columns in capitals, quoted if SQL needs it. An expression has an empty name.
  let columns: [String]
  let isUnique: Bool
  let isPartial: Bool

  static func all(_ connection: Connection) throws -> [StoredIndex] {
    let rows = try connection.rows(
      """
      SELECT m.name, l.name, l."unique", l.partial, i.name FROM sqlite_master m JOIN pragma_index_list(m.name) l \
      JOIN pragma_index_info(l.name) i WHERE m.type = 'table' AND m.name LIKE 'Z%' AND l.origin != 'pk' \
      ORDER BY m.rowid, l.seq DESC, i.seqno
      """)
    var indexes: [StoredIndex] = []
    for row in rows {
      guard let table = row[0], let name = row[1] else { continue }
      var columns = indexes.last?.name == name ? indexes.removeLast().columns : []
      columns.append(SQLName.quoted((row[4] ?? "").uppercased()))
      indexes.append(
        StoredIndex(
          name: name, table: SQLName.quoted(table.uppercased()), columns: columns, isUnique: row[2] == "1",
          isPartial: row[3] == "1"))
    }
    return indexes
  }

  /// The property names that the index's name spells. Newer indexes are named `Z_<Entity>_<attribute>` and
  /// `Z_<Entity>_UNIQUE_<attribute>_<attribute>` in the model's spelling. Other words do no harm, because names are
  /// looked up by their column.
  func spelledNames(of entity: String) -> [String] {
    let prefix = "Z_\(entity)_"
    guard name.hasPrefix(prefix) else { return [] }
    let rest = String(name.dropFirst(prefix.count))
    guard rest.hasPrefix("UNIQUE_") else { return [rest] }
    // The attribute's name may itself have underscores.
    let names = String(rest.dropFirst(7))
    return columns.count == 1 ? [names] : names.split(separator: "_").map(String.init)
  }

  /// The words in the names of the triggers of derived attributes, `Z_DA_<TABLE>_<Entity>_<attribute>_<event>`.
  static func triggerNames(_ connection: Connection) throws -> [String] {
    try connection.rows(
      "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'Z\\_DA\\_%' ESCAPE '\\'"
    )
    .compactMap { $0[0] }.flatMap { $0.split(separator: "_").map(String.init) }
  }
}
