internal import CoreData
import Foundation

/// Finds stored rows that have given values in the attributes of a uniqueness constraint.
struct ConstraintHolders {
  private let store: PostgreSQLStore
  private let connection: Connection

  init(_ store: PostgreSQLStore, _ connection: Connection) {
    self.store = store
    self.connection = connection
  }

  /// Returns the stored rows that agree with one of `rows` in all values of a constraint.
  func rows(
    _ constraint: [String], _ declaring: EntityLayout, _ rows: [RowSnapshot], isLocking: Bool = false
  ) throws -> [RowSnapshot] {
    let entity = try store.schema.entity(declaring)
    let columns = constraint.compactMap { name in
      declaring.property(named: name).flatMap { $0.slot >= 0 ? entity.slots[$0.slot] : nil }
    }
    guard columns.count == constraint.count else { return [] }
    var parameters = Parameters()
    // Rows of subentities have these values in other slots.
    for column in columns {
      parameters.addArray(of: ServerType(column.property.form), count: rows.count) { bytes in
        for row in rows {
          guard let place = store.layouts[row.entity].property(named: column.property.name) else { continue }
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
    return try plan.rows(connection.execute(isLocking ? sql + " ORDER BY t0.Z_PK FOR UPDATE OF t0" : sql, parameters))
  }
}

extension ModelLayouts {
  /// Returns a row's values of a constraint; nil if the row lacks one of the properties or has nil in it.
  func values(_ row: RowSnapshot, _ constraint: [String]) -> ConstraintValues? {
    let layout = layouts[row.entity]
    let properties = constraint.compactMap { layout.property(named: $0) }
    return properties.count == constraint.count ? ConstraintValues(row, properties) : nil
  }
}
