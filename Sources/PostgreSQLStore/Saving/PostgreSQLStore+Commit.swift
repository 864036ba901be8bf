package import CoreData
import Foundation

/// Saving, in one transaction.
///
/// | event | result |
/// |---|---|
/// | a row has another version, or is gone | `versionConflicts`; nothing is written |
/// | a row breaks a uniqueness constraint | `constraintConflicts`; nothing is written |
/// | the save collided with another (40001, 40P01) | it runs again: the server has rolled it back |
/// | another session holds a lock for longer than the time-out | error 55P03; nothing is written |
/// | the connection was lost | another connection looks up the save's mark: it was committed, or it runs again |
/// | the server can't be reached any more, does not answer that, or holds on to the lost save | error 08007 |
extension PostgreSQLStore {
  /// The number of attempts that a save gets.
  static let attempts = 10

  package func commit(_ changes: ChangeSet) throws -> SaveOutcome {
    try translatingErrors {
      // SQLite stores keep these values in files; this store keeps them in rows.
      let changes = try changes.withExternalValues(layouts)
      let metadata = storedMetadata.unwritten
      let run = try SaveRun(changes, metadata: metadata, self)
      return try repeated("a save") { isLast in
        do {
          let written = try reconnected { try write { try run.run($0, $1, $2) } }
          if let metadata {
            storedMetadata.didWrite(metadata, as: written.result)
            version.opened.uuid = metadata.values[NSStoreUUIDKey] as? String
          }
          history?.didCommit(written.transaction)
          rowCache.publish(changes)
          return .saved(rewritten: publish(derived: written.derived))
        } catch let outdated as SaveRun.Outdated {
          return .versionConflicts(try conflicts(outdated.rows))
        } catch let error as ServerError where error.breaksUniqueness {
          if isOfKeys(error) { throw error }
          let conflicts = try pool.read { try ConstraintSearch(changes, self, $0).conflicts() }
          guard conflicts.isEmpty else { return .constraintConflicts(conflicts) }
          if isLast { throw error }
          // The other row has gone since, so the save runs again.
          return nil
        } catch let error as ServerError where error.state == "54000" {
          throw LongIndexedValue.explained(error, changes.inserted + changes.updated.map(\.row), layouts)
        }
      }
    }
  }

  /// Runs `body` until it returns a result: again if the server has taken it back, or if the connection was lost and
  /// nothing was written.
  ///
  /// - Parameters:
  ///   - what: what is attempted, for the error.
  ///   - isRepeatable: whether it can be run again: a program is asked once for the rows of a batch insert.
  ///   - body: gets whether this is the last attempt; returns nil to be run again.
  func repeated<Result>(
    _ what: String, isRepeatable: () -> Bool = { true }, _ body: (_ isLast: Bool) throws -> Result?
  ) throws -> Result {
    for attempt in 1... {
      let isLast = attempt == PostgreSQLStore.attempts
      do {
        if let result = try body(isLast) { return result }
      } catch let error as ServerError where error.isPassing && !isLast && isRepeatable() {
        Thread.sleep(forTimeInterval: 0.005 * Double(attempt) * Double.random(in: 0.5...1.5))
      } catch is SaveRun.MarkGone where !isLast && isRepeatable() {
        // Nothing was written; the next attempt gets a new mark.
      } catch is SaveRun.MarkGone {
        throw ServerError(
          state: "08006",
          message: isRepeatable()
            ? "the connection was lost in each of \(attempt) attempts at \(what), of which nothing is in the database"
            : "the connection was lost during a batch insert, of which nothing is in the database; it is not run "
              + "again, since its rows are asked for once")
      }
    }
    preconditionFailure("The last attempt returns a result or throws.")
  }

  /// Writes once and returns the outcome. If the answer is lost, looks up the save's mark.
  ///
  /// - Parameter body: writes, stores the outcome in its third argument, then commits.
  func write<Outcome>(
    _ body: (Connection, SaveMark, PendingOutcome<Outcome>) throws -> Void
  ) throws -> Outcome {
    defer { replica?.mark() }
    var mark: SaveMark?
    let pending = PendingOutcome<Outcome>()
    do {
      try pool.use { connection in
        let next = try connection.nextMark(notice)
        mark = next
        do {
          try body(connection, next, pending)
          connection.didSave(next, isCommitted: true)
        } catch is SaveRun.MarkGone {
          connection.didSave(next, isCommitted: false)
          throw SaveRun.MarkGone()
        }
      }
    } catch var error as ServerError where error.state == "55P03" {
      error.message =
        "the save waited for a lock that another session holds, \(error.context ?? "on a table"), and has given up: "
        + error.message
      throw error
    } catch let error as ServerError where error.isLost {
      // Without a mark, nothing that writes was sent.
      guard let mark else { throw error }
      if try !isCommitted(mark) { throw SaveRun.MarkGone() }
    }
    guard let outcome = pending.value else { throw SaveRun.MarkGone() }
    return outcome
  }

  /// Returns whether a save whose answer was lost is committed. Asks again for as long as `settings.patience` allows.
  ///
  /// If there is no answer, the error is 08007, whatever the server said: if it looked like an error of the save, that
  /// would be run again.
  func isCommitted(_ mark: SaveMark) throws -> Bool {
    let deadline = Date(timeIntervalSinceNow: settings.patience)
    while true {
      do { return try pool.use { try mark.isCommitted($0, patience: deadline.timeIntervalSinceNow) } } catch let error
        as ServerError
      {
        guard error.mayPass, Date() < deadline else { throw unknownOutcome(error) }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  private func unknownOutcome(_ error: ServerError) -> ServerError {
    let isBusy = ["55P03", "57014"].contains(error.state)
    return ServerError(
      state: "08007",
      message: "Whether the save is in the store \(url?.absoluteString ?? "on a server") is not known: the connection "
        + "was lost during it, and \(isBusy ? "the server is still busy with it" : "the server can't be asked"): "
        + "\(error.state), \(error.message)")
  }

  /// Runs `body` again while the connection is lost, for as long as `settings.patience` allows.
  func reconnected<Result>(_ body: () throws -> Result) throws -> Result {
    let deadline = Date(timeIntervalSinceNow: settings.patience)
    while true {
      do { return try body() } catch let error as ServerError where error.isLost && error.state != "08007" {
        guard Date() < deadline else { throw error }
        Thread.sleep(forTimeInterval: 0.1)
      }
    }
  }

  /// Puts rows that triggers have changed into the cache, and returns them.
  private func publish(derived: [RowSnapshot]) -> [RowSnapshot] {
    var rows = derived
    rowCache.publish(&rows, readAfter: nil)
    return rows
  }

  /// Whether a row breaks the primary key of a table, by the name that the server gave that. An attribute may be called
  /// `pkey`, too, and so the last of a uniqueness constraint.
  private func isOfKeys(_ error: ServerError) -> Bool {
    guard let name = error.constraint?.lowercased(), name.hasSuffix("_pkey") else { return false }
    return !BatchConstraint.all(of: layouts.layouts.indices, layouts).contains { $0.serverName.hasPrefix(name) }
  }

  private func conflicts(_ bases: [RowSnapshot]) throws -> [VersionConflict] {
    // Looks in the cache first: reading the rows puts them there.
    let cached = bases.map { rowCache.row($0.reference) }
    var persisted: [RowReference: RowSnapshot] = [:]
    for (root, rows) in Dictionary(grouping: bases, by: { layouts[$0.entity].rootIndex }) {
      let found = try pool.read { try self.rows(forKeys: rows.map(\.key), in: layouts[root], $0) }
      for row in found { persisted[RowReference(entity: root, key: row.key)] = row }
    }
    return zip(bases, cached).map { base, cached in
      let found = persisted[RowReference(entity: layouts[base.entity].rootIndex, key: base.key)]
      // A row that is of another entity now is another object's.
      let now = found?.entity == base.entity ? found : nil
      return VersionConflict(
        base: base, persisted: now, isCached: now != nil && cached != nil && cached?.version == now?.version)
    }
  }
}

/// The outcome of a transaction. It is stored before the commit, so that it survives a lost answer.
final class PendingOutcome<Value> {
  var value: Value?
}
