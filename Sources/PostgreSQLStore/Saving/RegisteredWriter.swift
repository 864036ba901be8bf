import Foundation

/// A connection's row in `Z_WRITERS`, under which its saves leave their marks.
struct RegisteredWriter {
  let id: UUID
  let limits: SaveLimits
  /// Whether its saves have to be refused as soon as the database has a history.
  let isUntracked: Bool
  /// The number of the last save that was committed.
  var lastSave: Int64 = 0

  func nextMark(_ notice: CommitNotice?) -> SaveMark {
    SaveMark(writer: id, number: lastSave + 1, notice: notice, limits: limits, isUntracked: isUntracked)
  }
}

extension Connection {
  /// Returns the mark for the next save. Creates the connection's row in `Z_WRITERS` first if it has none.
  func nextMark(_ notice: CommitNotice?) throws -> SaveMark {
    if let writer { return writer.nextMark(notice) }
    let id = UUID()
    let limits = try SaveMark.register(id, patience: StoreSettings(versionGuard?.options).patience, self)
    // Checked after the row exists. A migration that is over is visible in the metadata; a later one removes the row.
    let isUntracked = try versionGuard?.check(self) ?? false
    let new = RegisteredWriter(id: id, limits: limits, isUntracked: isUntracked)
    writer = new
    return new.nextMark(notice)
  }

  /// Notes the outcome of a save. If it was not committed, the next save gets a new row in `Z_WRITERS`.
  func didSave(_ mark: SaveMark, isCommitted: Bool) {
    if isCommitted { writer?.lastSave = mark.number } else { writer = nil }
  }
}
