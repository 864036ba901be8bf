/// Files that a crash left behind.
extension ExternalFiles {
  /// Removes the files that no row names. For a store that is opened to be written; never fails.
  ///
  /// A save writes its files inside its transaction, so while this connection has the file to itself no save
  /// is under way, in this process or another: every file that a row should name is named by one. Where
  /// another program is writing, the files stay until the next opening. Rows of all tables count, of whatever
  /// model. Files whose names are not those of values stay, and so does everything where another file beside
  /// the store has its name but for the extension: the folder may be that one's too.
  func removeOrphans(_ existing: ExistingSchema, _ connection: Connection) {
    let candidates = valueNames
    if candidates.isEmpty || sharesFolder { return }
    try? connection.withoutWaiting {
      try connection.transaction(.exclusive) {
        remove(candidates.subtracting(try namedFiles(existing, connection)).sorted())
      }
    }
  }

  /// The files whose names are those of values.
  private var valueNames: Set<String> {
    if store.path == "/dev/null" { return [] }
    return names.filter { $0.utf8.count == 36 && UUID(uuidString: $0) != nil }
  }

  /// Whether there is another store beside this one whose folder has the same name.
  var sharesFolder: Bool {
    let name = store.deletingPathExtension().lastPathComponent
    let beside =
      (try? FileManager.default.contentsOfDirectory(atPath: store.deletingLastPathComponent().path)) ?? []
    return beside.contains { other in
      other != store.lastPathComponent && (other as NSString).deletingPathExtension == name
        && !["-wal", "-shm", "-journal"].contains { other == store.lastPathComponent + $0 }
    }
  }

  private func namedFiles(_ existing: ExistingSchema, _ connection: Connection) throws -> Set<String> {
    var names: Set<String> = []
    for (table, columns) in existing.tables {
      for column in columns where column.type == "BLOB" {
        let rows = try connection.rows(
          "SELECT CAST(SUBSTR(\(column.name), 2, 36) AS TEXT) FROM \(table) "
            + "WHERE LENGTH(\(column.name)) = 38 AND SUBSTR(\(column.name), 1, 1) = X'02'")
        names.formUnion(rows.compactMap { $0[0] })
      }
    }
    return names
  }
}
