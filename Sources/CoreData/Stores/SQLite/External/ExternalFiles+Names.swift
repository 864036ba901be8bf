/// Which files a database's rows name, and whether another store may use the same folder.
extension ExternalFiles {
  /// Whether another store beside this one may use the same folder. Every file that differs only in its extension
  /// counts.
  var sharesFolder: Bool {
    let name = owner.deletingPathExtension().lastPathComponent
    let folder = owner.deletingLastPathComponent()
    let beside = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return beside.contains { other in
      other != owner.lastPathComponent && (other as NSString).deletingPathExtension == name
        && !DatabasePlace.companionSuffixes.contains { other == owner.lastPathComponent + $0 }
        && DatabasePlace(folder.appendingPathComponent(other)) != database
    }
  }

  /// The names in the binary columns of all tables, whatever their model. This reads the tables whole.
  static func named(in connection: Connection) throws -> Set<String> {
    func quoted(_ name: String) -> String { "\"\(name.replacingOccurrences(of: "\"", with: "\"\""))\"" }
    let columns = try connection.rows(
      "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
        + "WHERE m.type = 'table' AND m.rootpage > 0 AND UPPER(c.type) = 'BLOB'")
    var names: Set<String> = []
    for column in columns {
      guard let table = column[0].map(quoted), let column = column[1].map(quoted) else { continue }
      let rows = try connection.rows(
        "SELECT CAST(SUBSTR(\(column), 2, 36) AS TEXT) FROM \(table) "
          + "WHERE LENGTH(\(column)) = 38 AND SUBSTR(\(column), 1, 1) = X'02'")
      for row in rows {
        guard var name = row[0], name.withUTF8({ ExternalReference.uuid(UnsafeRawBufferPointer($0)) }) != nil else {
          continue
        }
        names.insert(name)
      }
    }
    return names
  }
}
