internal import CoreData
import Foundation

/// Writes a change set on one connection, in this order:
///
/// 1. check locked rows;
/// 2. remove links;
/// 3. delete, update, then insert rows;
/// 4. add links, then number ordered ones;
/// 5. write the metadata, if they have changed.
///
/// Each save leaves a `SaveMark`, so that it can be looked up if its answer is lost.
///
/// If a row has another version, the run rolls back and throws `Outdated`. The server checks uniqueness at the end of
/// the transaction, so the order of rows does not matter to it. Rows are written in the order of their keys, and locked
/// in that order before several statements update rows of one table: two saves of the same rows then wait for each
/// other instead of ending in a deadlock.
struct SaveRun {
  /// The error for rows that no longer have the version they were read with.
  struct Outdated: Error {
    let rows: [RowSnapshot]
  }

  /// The error for a connection whose row in `Z_WRITERS` is gone: nothing was written.
  struct MarkGone: Error {}

  private let changes: ChangeSet
  private let links: LinkSteps
  private let metadata: StoredMetadata.Version?
  /// The keys of the texts that the history says of the save.
  private let texts: [Int64?]
  private let store: PostgreSQLStore
  private let schema: StoreSchema

  init(_ changes: ChangeSet, metadata: StoredMetadata.Version?, _ store: PostgreSQLStore) throws {
    self.changes = changes
    self.metadata = metadata
    self.store = store
    schema = store.schema
    texts = try store.originTexts(changes.origin)
    links = try LinkSteps(changes, schema: schema, dialect: .postgreSQL)
  }

  /// The outcome is the metadata that were written; nil for none.
  func run(
    _ connection: Connection, _ mark: SaveMark, _ pending: PendingOutcome<WriteTransaction.Outcome<[String: Any]?>>
  ) throws {
    if isOneStatement, try writeOne(connection, mark, pending) { return }
    try WriteTransaction.run(store, connection, mark, by: texts, pending) { transaction in
      try write(connection)
      transaction.recorder?.record(changes)
      return try writeMetadata(connection)
    }
  }

  /// Whether one statement can write everything, as a transaction of its own: it updates or deletes a single row, or
  /// inserts a few rows of one entity.
  private var isOneStatement: Bool {
    guard store.history == nil, !store.derivesValues, metadata == nil, changes.locked.isEmpty, changes.links.isEmpty,
      links.removals.isEmpty,
      links.additions.isEmpty
    else { return false }
    switch (changes.inserted.count, changes.updated.count, changes.deleted.count) {
    case (0, 1, 0), (0, 0, 1): return true
    case (let count, 0, 0):
      return count < RowInserts.copyThreshold && Set(changes.inserted.map(\.entity)).count == 1
    default: return false
    }
  }

  /// Writes everything with one statement, in one round trip. Returns false, and writes nothing, if the values of
  /// several rows are too long for that.
  private func writeOne(
    _ connection: Connection, _ mark: SaveMark, _ pending: PendingOutcome<WriteTransaction.Outcome<[String: Any]?>>
  ) throws -> Bool {
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
      (parameters, rows) = (RowInserts(schema).parameters(changes.inserted, columns), [])
    }
    if changes.inserted.count > 1, parameters.byteCount > Parameters.limit { return false }
    pending.value = WriteTransaction.Outcome(result: nil)
    let done = try connection.execute(mark.around(sql, rows: max(rows.count, changes.inserted.count)), parameters)
    if done.affected == 1 { return true }
    guard let row = rows.first else { throw MarkGone() }
    let found = try outdated([row], schema.entity(at: row.entity), connection)
    throw found.rows.isEmpty ? MarkGone() as any Error : found
  }

  private func write(_ connection: Connection) throws {
    for (entity, rows) in groups(changes.locked) { try check(rows, of: entity, connection) }
    for step in links.removals { try run(step, connection) }
    for (entity, rows) in groups(changes.deleted) { try delete(rows, of: entity, connection) }
    let updates = Dictionary(grouping: changes.updated, by: UpdateKey.init).sorted { $0.key < $1.key }
    try lock(updates, connection)
    for (key, updates) in updates {
      try update(updates.sorted { $0.row.key < $1.row.key }, key, connection)
    }
    for (entity, rows) in groups(changes.inserted) { try RowInserts(schema).run(rows, into: entity, connection) }
    for step in links.additions { try run(step, connection) }
    try OrderRun(changes.links, schema).run(connection)
  }

  /// Writes the keys of the metadata that have changed in this process, and returns what the store has then.
  private func writeMetadata(_ connection: Connection) throws -> [String: Any]? {
    guard let metadata else { return nil }
    let written = metadata.merged(with: try MetadataTable.readLocked(connection) ?? metadata.values)
    try MetadataTable.write(written, connection)
    return written
  }

  private struct UpdateKey: Hashable, Comparable {
    let entity: Int
    let changed: SlotMask

    init(_ update: RowUpdate) { (entity, changed) = (update.row.entity, update.changed) }

    static func < (a: UpdateKey, b: UpdateKey) -> Bool {
      a.entity == b.entity ? a.slots.lexicographicallyPrecedes(b.slots) : a.entity < b.entity
    }

    private var slots: [Int] {
      var slots: [Int] = []
      changed.forEach { slots.append($0) }
      return slots
    }
  }

  /// Locks the rows of each table that several statements update, in the order of their keys.
  private func lock(_ updates: [(key: UpdateKey, value: [RowUpdate])], _ connection: Connection) throws {
    let tables = Dictionary(grouping: updates) { store.layouts[$0.key.entity].rootIndex }
    for (root, updates) in tables.sorted(by: { $0.key < $1.key }) where updates.count > 1 {
      var parameters = Parameters()
      parameters.add(keys: updates.flatMap { $0.value.map(\.row.key) })
      try connection.execute(WriteTexts.lock(schema.entity(at: root)), parameters)
    }
  }

  private func groups(_ rows: [RowSnapshot]) -> [(entity: EntitySchema, rows: [RowSnapshot])] {
    if rows.isEmpty { return [] }
    return Dictionary(grouping: rows, by: \.entity).sorted { $0.key < $1.key }.map { index, rows in
      (schema.entity(at: index), rows.sorted { $0.key < $1.key })
    }
  }

  private func updateParameters(_ updates: [RowUpdate], _ columns: [WriteColumn]) -> Parameters {
    var parameters = versioned(updates.map(\.base))
    for column in columns { parameters.add(column, of: updates.map(\.row), schema) }
    return parameters
  }

  private func update(_ updates: [RowUpdate], _ key: UpdateKey, _ connection: Connection) throws {
    let entity = schema.entity(at: key.entity)
    let columns = WriteTexts.changedColumns(entity, key.changed)
    let parameters = updateParameters(updates, columns)
    if parameters.byteCount > Parameters.limit, updates.count > 1 {
      let parts = parameters.byteCount / Parameters.limit + 1
      let size = (updates.count + parts - 1) / parts
      for start in stride(from: 0, to: updates.count, by: size) {
        try update(Array(updates[start..<min(start + size, updates.count)]), key, connection)
      }
      return
    }
    let done = try connection.execute(WriteTexts.update(entity, columns), parameters)
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

  /// Rolls the transaction back and throws the rows that are not as they were read.
  private func giveUp(_ rows: [RowSnapshot], _ entity: EntitySchema, _ connection: Connection) throws {
    try connection.run("ROLLBACK")
    let found = try outdated(rows, entity, connection)
    // No row is outdated if all have their old versions again: the caller tries again.
    throw found.rows.isEmpty ? MarkGone() as any Error : found
  }

  private func versioned(_ rows: [RowSnapshot]) -> Parameters {
    var parameters = Parameters()
    parameters.add(keys: rows.map(\.key))
    parameters.add(keys: rows.map(\.version))
    return parameters
  }

  /// Returns the rows that have another version or are gone.
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
    case .pairs(let sql, let pairs), .join(_, let sql, let pairs):
      parameters.add(keys: pairs.map(\.first))
      parameters.add(keys: pairs.map(\.second))
      try connection.execute(SQLFragment(sql).numberedText, parameters)
    }
  }
}
