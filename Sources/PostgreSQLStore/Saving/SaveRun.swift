internal import CoreData
import Foundation

/// Writes a change set on one connection, in this order:
///
/// 1. locked rows are checked;
/// 2. links that go; 3. rows that are deleted, changed, new; 4. links that come, then orders;
/// 5. metadata, if they have changed.
///
/// Each save leaves a `SaveMark`, by which it is found if its answer is lost.
///
/// A statement that meets a row of another version ends the run: `Outdated` is thrown, and the transaction taken back.
/// Uniqueness is judged at the end of the transaction, so the order of rows is of no matter to it. Rows are written in
/// the order of their keys, so that two saves of the same rows wait for each other rather than block each other.
struct SaveRun {
  /// Rows that no longer have the version they were read with.
  struct Outdated: Error {
    let rows: [RowSnapshot]
  }

  /// The connection's mark is gone: nothing was written.
  struct MarkGone: Error {}

  /// From how many rows on they are copied in.
  private static let copyThreshold = 100

  private let changes: ChangeSet
  private let links: LinkSteps
  private let metadata: [String: Any]?
  private let schema: StoreSchema

  init(_ changes: ChangeSet, metadata: [String: Any]?, _ schema: StoreSchema) throws {
    self.changes = changes
    self.metadata = metadata
    self.schema = schema
    links = try LinkSteps(changes, schema, .postgreSQL)
  }

  func run(_ connection: Connection, _ mark: SaveMark) throws {
    if isOneStatement { return try writeOne(connection, mark) }
    let begun = try connection.run(mark.begin)
    try connection.finishingTransaction {
      if begun.affected == 0 { throw MarkGone() }
      try write(connection)
    }
  }

  /// Whether it is one statement, which is a transaction by itself: of one row, or of rows that have no version yet.
  private var isOneStatement: Bool {
    guard metadata == nil, changes.locked.isEmpty, changes.links.isEmpty, links.removals.isEmpty,
      links.additions.isEmpty
    else { return false }
    switch (changes.inserted.count, changes.updated.count, changes.deleted.count) {
    case (0, 1, 0), (0, 0, 1): return true
    case (let count, 0, 0):
      return count < SaveRun.copyThreshold && Set(changes.inserted.map(\.entity)).count == 1
    default: return false
    }
  }

  /// One statement, one round trip.
  private func writeOne(_ connection: Connection, _ mark: SaveMark) throws {
    let (sql, parameters, rows): (String, Parameters, [RowSnapshot])
    if let update = changes.updated.first {
      let entity = schema.entity(at: update.row.entity)
      let columns = WriteTexts.changedColumns(entity, update.changed)
      sql = WriteTexts.update(entity, columns)
      (parameters, rows) = (updateParameters([update], columns), [update.base])
    } else if let row = changes.deleted.first {
      sql = WriteTexts.delete(schema.entity(at: row.entity))
      (parameters, rows) = (versioned([row]), [row])
    } else {
      let entity = schema.entity(at: changes.inserted[0].entity)
      let columns = WriteTexts.insertColumns(entity)
      sql = WriteTexts.insert(entity, columns)
      (parameters, rows) = (insertParameters(changes.inserted, columns), [])
    }
    let done = try connection.execute(mark.around(sql, rows: max(rows.count, changes.inserted.count)), parameters)
    if done.affected == 1 { return }
    guard let row = rows.first else { throw MarkGone() }
    let found = try outdated([row], schema.entity(at: row.entity), connection)
    throw found.rows.isEmpty ? MarkGone() as any Error : found
  }

  private func write(_ connection: Connection) throws {
    for (entity, rows) in groups(changes.locked) { try check(rows, of: entity, connection) }
    for step in links.removals { try run(step, connection) }
    for (entity, rows) in groups(changes.deleted) { try delete(rows, of: entity, connection) }
    for (key, updates) in Dictionary(grouping: changes.updated, by: UpdateKey.init).sorted(by: { $0.key < $1.key }) {
      try update(updates.sorted { $0.row.key < $1.row.key }, key, connection)
    }
    for (entity, rows) in groups(changes.inserted) { try insert(rows, into: entity, connection) }
    for step in links.additions { try run(step, connection) }
    try OrderRun(changes.links, schema).run(connection)
    if let metadata { try MetadataTable.write(metadata, connection) }
  }

  private struct UpdateKey: Hashable, Comparable {
    let entity: Int
    let changed: SlotMask

    init(_ update: RowUpdate) { (entity, changed) = (update.row.entity, update.changed) }

    static func < (a: UpdateKey, b: UpdateKey) -> Bool { a.entity < b.entity }
  }

  private func groups(_ rows: [RowSnapshot]) -> [(entity: EntitySchema, rows: [RowSnapshot])] {
    if rows.isEmpty { return [] }
    return Dictionary(grouping: rows, by: \.entity).sorted { $0.key < $1.key }.map { index, rows in
      (schema.entity(at: index), rows.sorted { $0.key < $1.key })
    }
  }

  private func insert(_ rows: [RowSnapshot], into entity: EntitySchema, _ connection: Connection) throws {
    let columns = WriteTexts.insertColumns(entity)
    guard rows.count >= SaveRun.copyThreshold else {
      try connection.execute(WriteTexts.insert(entity, columns), insertParameters(rows, columns))
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(rows.count * columns.count * 16)
    for row in rows {
      bytes.append(big: Int16(columns.count))
      for column in columns { column.append(row, schema, to: &bytes) }
    }
    try connection.copy(WriteTexts.copy(entity, columns), bytes)
  }

  private func insertParameters(_ rows: [RowSnapshot], _ columns: [WriteColumn]) -> Parameters {
    var parameters = Parameters()
    for column in columns { parameters.add(column, of: rows, schema) }
    return parameters
  }

  private func updateParameters(_ updates: [RowUpdate], _ columns: [WriteColumn]) -> Parameters {
    var parameters = versioned(updates.map(\.base))
    for column in columns { parameters.add(column, of: updates.map(\.row), schema) }
    return parameters
  }

  private func update(_ updates: [RowUpdate], _ key: UpdateKey, _ connection: Connection) throws {
    let entity = schema.entity(at: key.entity)
    let columns = WriteTexts.changedColumns(entity, key.changed)
    let done = try connection.execute(WriteTexts.update(entity, columns), updateParameters(updates, columns))
    if done.affected < updates.count { try giveUp(updates.map(\.base), entity, connection) }
  }

  private func delete(_ rows: [RowSnapshot], of entity: EntitySchema, _ connection: Connection) throws {
    let done = try connection.execute(WriteTexts.delete(entity), versioned(rows))
    if done.affected < rows.count { try giveUp(rows, entity, connection) }
  }

  private func check(_ rows: [RowSnapshot], of entity: EntitySchema, _ connection: Connection) throws {
    let found = try connection.execute(WriteTexts.check(entity), versioned(rows))
    if found.count < rows.count { try giveUp(rows, entity, connection) }
  }

  /// Takes the transaction back, and says which of some rows are not as they were read.
  private func giveUp(_ rows: [RowSnapshot], _ entity: EntitySchema, _ connection: Connection) throws {
    try connection.run("ROLLBACK")
    let found = try outdated(rows, entity, connection)
    // None, if all have come back to their versions since: whoever asked tries again.
    throw found.rows.isEmpty ? MarkGone() as any Error : found
  }

  private func versioned(_ rows: [RowSnapshot]) -> Parameters {
    var parameters = Parameters()
    parameters.add(keys: rows.map(\.key))
    parameters.add(keys: rows.map(\.version))
    return parameters
  }

  /// Which of some rows have another version, or are gone.
  private func outdated(
    _ rows: [RowSnapshot], _ entity: EntitySchema, _ connection: Connection
  ) throws -> Outdated {
    var parameters = Parameters()
    parameters.add(keys: rows.map(\.key))
    let found = try connection.execute(WriteTexts.versions(entity), parameters)
    var versions: [Int64: Int64] = [:]
    for row in 0..<found.count { versions[found.int(row, 0)] = found.int(row, 1) }
    return Outdated(rows: rows.filter { versions[$0.key] != $0.version })
  }

  private func run(_ step: LinkSteps.Step, _ connection: Connection) throws {
    var parameters = Parameters()
    switch step {
    case .keys(let sql, let keys):
      parameters.add(keys: keys)
      try connection.execute(SQLFragment(sql).numberedText, parameters)
    case .pairs(let sql, let pairs):
      parameters.add(keys: pairs.map(\.first))
      parameters.add(keys: pairs.map(\.second))
      try connection.execute(SQLFragment(sql).numberedText, parameters)
    }
  }
}
