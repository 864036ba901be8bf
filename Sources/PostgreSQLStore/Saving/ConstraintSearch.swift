internal import CoreData
import Foundation

/// Finds the conflicts in a change set that the server refused: the rows that would break a uniqueness constraint.
struct ConstraintSearch {
  private let changes: ChangeSet
  private let store: PostgreSQLStore
  private let connection: Connection

  init(_ changes: ChangeSet, _ store: PostgreSQLStore, _ connection: Connection) {
    self.changes = changes
    self.store = store
    self.connection = connection
  }

  /// A row to write, with the row as it was read; `base` is nil for a new row.
  private struct Candidate {
    let row: RowSnapshot
    let base: RowSnapshot?
  }

  func conflicts() throws -> [ConstraintConflict] {
    let candidates =
      changes.updated.map { Candidate(row: $0.row, base: $0.base) }
      + changes.inserted.map { Candidate(row: $0, base: nil) }
    var found: [ConstraintConflict] = []
    for declaring in store.layouts.layouts where store.schema.entities[declaring.index] != nil {
      for constraint in declaring.constraints {
        let concerned = candidates.filter { declaring.subtree.contains($0.row.entity) }
        if concerned.isEmpty { continue }
        found += try conflicts(constraint, declaring, concerned)
      }
    }
    return found
  }

  private func conflicts(
    _ constraint: [String], _ declaring: EntityLayout, _ candidates: [Candidate]
  ) throws -> [ConstraintConflict] {
    func values(_ row: RowSnapshot) -> ConstraintValues? { store.layouts.values(row, constraint) }
    // Rows that get these values in this save. A row that had them before is found in the store instead.
    var takers: [ConstraintValues: [RowSnapshot]] = [:]
    var leaving = Set(changes.deleted.filter { declaring.subtree.contains($0.entity) }.map(\.key))
    for candidate in candidates {
      let new = values(candidate.row)
      if let base = candidate.base {
        if values(base) == new { continue }
        leaving.insert(base.key)
      }
      if let new { takers[new, default: []].append(candidate.row) }
    }
    if takers.isEmpty { return [] }
    var holders: [ConstraintValues: RowSnapshot] = [:]
    let taken = takers.values.compactMap(\.first)
    var found = try ConstraintHolders(store, connection).rows(constraint, declaring, taken)
    store.rowCache.publish(&found, readAfter: nil)
    for row in found where !leaving.contains(row.key) {
      if let values = values(row) { holders[values] = row }
    }
    return takers.compactMap { values, rows -> ConstraintConflict? in
      let holder = holders[values]
      guard holder != nil || rows.count > 1 else { return nil }
      return ConstraintConflict(
        constraint: constraint, conflicting: rows.map(\.reference).sorted { $0.key < $1.key }, persisted: holder)
    }.sorted { $0.conflicting[0].key < $1.conflicting[0].key }
  }
}
