internal import CoreData
import Foundation

/// Finds which rows would agree in the values of uniqueness constraints once a change set is applied, after the server
/// has refused it.
struct ConstraintSearch {
  private let changes: ChangeSet
  private let store: PostgreSQLStore
  private let connection: Connection

  init(_ changes: ChangeSet, _ store: PostgreSQLStore, _ connection: Connection) {
    self.changes = changes
    self.store = store
    self.connection = connection
  }

  /// A row that takes values, and those it had before; nil for a new one.
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
      for constraint in declaring.entity.constraintNames {
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
    func values(_ row: RowSnapshot) -> ConstraintValues? {
      let layout = store.layouts.layouts[row.entity]
      let properties = constraint.compactMap { layout.property(named: $0) }
      return properties.count == constraint.count ? ConstraintValues(row, properties) : nil
    }
    // Rows that take the values by this save; a row that had them before holds them as the store's.
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
    for row in try stored(constraint, declaring, takers.values.compactMap(\.first)) where !leaving.contains(row.key) {
      if let values = values(row) { holders[values] = row }
    }
    return takers.compactMap { values, rows -> ConstraintConflict? in
      let holder = holders[values]
      guard holder != nil || rows.count > 1 else { return nil }
      return ConstraintConflict(
        constraint: constraint, conflicting: rows.map(\.reference).sorted { $0.key < $1.key }, persisted: holder)
    }.sorted { $0.conflicting[0].key < $1.conflicting[0].key }
  }

  /// The rows of the store that have the same values as some of these.
  private func stored(
    _ constraint: [String], _ declaring: EntityLayout, _ rows: [RowSnapshot]
  ) throws -> [RowSnapshot] {
    let entity = try store.schema.entity(declaring)
    let columns = constraint.compactMap { name in
      declaring.property(named: name).flatMap { $0.slot >= 0 ? entity.slots[$0.slot] : nil }
    }
    guard columns.count == constraint.count else { return [] }
    var parameters = Parameters()
    // Rows of subentities have the values at other places.
    for column in columns {
      parameters.addArray(of: ServerType(column.property.form), count: rows.count) { bytes in
        for row in rows {
          guard let place = store.layouts.layouts[row.entity].property(named: column.property.name) else { continue }
          bytes.append(row, form: place.form, slot: place.slot, word: place.word)
        }
      }
    }
    let plan = try store.plans.rowPlan(declaring)
    let arrays = columns.enumerated().map { "$\($0 + 1)::\(ServerType($1.property.form).name)[]" }
    let select = SelectStatement(plan.query.columns, from: .named(entity.table, as: "t0")).fragment(.postgreSQL).sql
    let equal = columns.enumerated().map { "t0.\($1.name) = u.c\($0)" }.joined(separator: " AND ")
    let places = columns.indices.map { "c\($0)" }.joined(separator: ", ")
    let numbers = store.schema.numbers(declaring.subtree).map(String.init).joined(separator: ", ")
    let sql =
      "\(select) JOIN unnest(\(arrays.joined(separator: ", "))) AS u (\(places)) ON \(equal) "
      + "WHERE t0.Z_ENT IN (\(numbers))"
    var found = try plan.rows(connection.execute(sql, parameters))
    store.rowCache.publish(&found)
    return found
  }
}
