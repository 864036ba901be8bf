internal import CoreData
import Foundation

/// The history of one store: writes, reads and deletes its transactions. Safe on any thread.
final class PostgreSQLHistory: StoreHistory, @unchecked Sendable {
  // `@unchecked Sendable`: `own`, `lastOwn` and `keys` are only touched under `lock`; the rest never changes.

  let schema: StoreSchema
  let tombstoneCount: Int
  /// The statement that a recorder runs. Parameters: the number of changes, the keys of four texts, then arrays. It
  /// returns the number of the transaction and the one before its first change.
  let insertText: String
  /// The statement that adds more changes to a transaction. Parameters: the number of the last one, that of the
  /// transaction, then arrays.
  let appendText: String
  /// The store, unowned because it owns this object.
  private unowned let store: PostgreSQLStore
  private let columnsByEntity: [HistoryColumns]
  private let preserved: [[SlotColumn]]

  private let lock = NSLock()
  private var lastOwn: Int64 = 0
  /// The store's own transactions that `takeOwn` has not returned yet; nil while they are not counted.
  private var own: Set<Int64>?
  /// The keys of texts in ATRANSACTIONSTRING, by text.
  private var keys: [String: Int64] = [:]

  init(_ store: PostgreSQLStore, _ schema: StoreSchema, tombstones: Int) {
    self.store = store
    self.schema = schema
    tombstoneCount = tombstones
    columnsByEntity = schema.layouts.layouts.map(HistoryColumns.init)
    preserved = schema.layouts.layouts.map { Array(HistoryColumns.preserved(in: $0, schema).prefix(tombstones)) }
    insertText = PostgreSQLHistory.insertText(tombstones)
    appendText = PostgreSQLHistory.changes(tombstones, after: "$1::bigint", of: "$2::bigint", from: "", arrays: 3)
  }

  /// Returns the insertion of changes.
  ///
  /// - Parameters:
  ///   - base: the number of the change before them.
  ///   - transaction: the number of their transaction.
  ///   - source: a table with both and a comma, or nothing.
  ///   - arrays: the number of the parameter that is the first array.
  private static func changes(
    _ count: Int, after base: String, of transaction: String, from source: String, arrays first: Int
  ) -> String {
    let names = (0..<count).map { ", \(HistoryTables.tombstone($0))" }.joined()
    let values = (0..<count).map { ", u.v\($0)" }.joined()
    let places = (0..<count).map { ", v\($0)" }.joined()
    let arrays = (0..<4).map { "$\(first + $0)::bigint[]" } + (4...(4 + count)).map { "$\(first + $0)::bytea[]" }
    return "INSERT INTO ACHANGE "
      + "(Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS\(names)) "
      + "SELECT \(base) + row_number() OVER (ORDER BY u.o, k.k), 16001, u.t, u.e, k.k, \(transaction), u.c\(values) "
      + "FROM \(source)unnest(\(arrays.joined(separator: ", "))) "
      + "WITH ORDINALITY AS u (t, e, f, l, c\(places), o), generate_series(u.f, u.l) AS k (k)"
  }

  private static func insertText(_ count: Int) -> String {
    "WITH c AS (UPDATE ATRANSACTIONCOUNTER SET Z_LAST = Z_LAST + 1, Z_LASTCHANGE = Z_LASTCHANGE + $1::bigint "
      + "RETURNING Z_LAST, Z_LASTCHANGE - $1::bigint AS Z_BASE), "
      + "t AS (INSERT INTO ATRANSACTION "
      + "(Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) "
      + "SELECT Z_LAST, 16002, $2::bigint, $3::bigint, $4::bigint, $5::bigint, "
      + "extract(epoch FROM clock_timestamp())::double precision - 978307200 FROM c), "
      + "n AS (\(changes(count, after: "c.Z_BASE", of: "c.Z_LAST", from: "c, ", arrays: 6))) "
      + "SELECT Z_LAST, Z_BASE FROM c"
  }

  /// The error for a counter table that does not have its one row.
  var damaged: any Error { damaged("ATRANSACTIONCOUNTER", "it does not have one row") }

  private func damaged(_ table: String, _ what: String) -> any Error {
    StoreFailure.incompatibleSchema(store.url!, table: table, what)
  }

  // For recorders.

  func columns(of entity: Int) -> HistoryColumns { columnsByEntity[entity] }

  func preserved(_ entity: Int) -> [SlotColumn] { preserved[entity] }

  /// Returns the keys of author, bundle, context and process in ATRANSACTIONSTRING. Inserts missing texts first, so no
  /// transaction refers to a missing row.
  func strings(of origin: ChangeOrigin) throws -> [Int64?] {
    let process = ProcessInfo.processInfo.processName
    let texts = [origin.author, Bundle.main.bundleIdentifier ?? process, origin.contextName, process]
    return try texts.map { try $0.map(key(of:)) }
  }

  private func key(of text: String) throws -> Int64 {
    if let known = lock.withLock({ keys[text] }) { return known }
    var parameters = Parameters()
    parameters.add(text)
    let rows = try store.pool.read { connection in
      // At another isolation level the insertion would fail if another process inserts the text meanwhile.
      try connection.transaction {
        _ = try connection.execute(
          "INSERT INTO ATRANSACTIONSTRING (Z_ENT, ZNAME) VALUES (16003, $1) ON CONFLICT DO NOTHING", parameters)
      }
      return try connection.execute("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = $1", parameters)
    }
    guard rows.count == 1 else {
      throw damaged("ATRANSACTIONSTRING", "it has \(rows.count) rows for the text \(text), and not one")
    }
    let key = rows.int(0, 0)
    lock.withLock { keys[text] = key }
    return key
  }

  // The store's own transactions.

  func didCommit(_ transaction: Int64) {
    lock.withLock {
      lastOwn = max(lastOwn, transaction)
      own?.insert(transaction)
    }
  }

  /// The number of the last transaction that this store wrote; 0 for none.
  var lastWritten: Int64 { lock.withLock { lastOwn } }

  /// Starts to count the store's own transactions, to tell them apart from those of others.
  func beginCounting() { lock.withLock { own = own ?? [] } }

  func endCounting() { lock.withLock { own = nil } }

  func ownCount(after first: Int64, through last: Int64) -> Int64 {
    lock.withLock { Int64((own ?? []).filter { $0 > first && $0 <= last }.count) }
  }

  /// Returns how many transactions after `first`, through `last`, are the store's own, and forgets all through `last`.
  func takeOwn(after first: Int64, through last: Int64) -> Int64 {
    lock.withLock {
      let found = (own ?? []).filter { $0 <= last }
      own?.subtract(found)
      return Int64(found.filter { $0 > first }.count)
    }
  }

  // Reading.

  func lastNumber() throws -> Int64 {
    defer { store.replica?.mark() }
    return try store.translatingErrors { try store.pool.read { try lastNumber($0) } }
  }

  func lastNumber(_ connection: Connection) throws -> Int64 {
    let rows = try connection.execute("SELECT Z_LAST FROM ATRANSACTIONCOUNTER")
    guard rows.count == 1 else { throw damaged }
    return rows.int(0, 0)
  }

  /// How many transactions are read at a time.
  private static let portion: Int64 = 200

  func read(
    after bound: HistoryBound, take: (HistoryTransactionRow) throws -> Bool,
    changes: (HistoryTransactionRow, [HistoryChangeRow]) throws -> Void
  ) throws {
    defer { store.replica?.mark() }
    var hasTold = false
    try store.translatingErrors {
      try store.pool.read { connection in
        do {
          try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
          try connection.finishingTransaction {
            var last = try floor(of: bound, connection)
            while true {
              let transactions = try transactions(after: last, bound, connection)
              guard let end = transactions.last else { return }
              last = end.number
              var found: [Int64: [HistoryChangeRow]]?
              for transaction in transactions {
                hasTold = true
                guard try take(transaction) else { continue }
                if found == nil { found = try self.changes(transaction.number...last, connection) }
                try changes(transaction, found![transaction.number] ?? [])
              }
            }
          }
        } catch let error as ServerError where hasTold {
          // A repeated read would hand out the same transactions twice; a failure is not repeated.
          throw error.failure
        }
      }
    }
  }

  /// Returns the number after which to read. Throws if transactions after the bound have been deleted.
  private func floor(of bound: HistoryBound, _ connection: Connection) throws -> Int64 {
    guard case .number(let number) = bound else { return 0 }
    let rows = try connection.execute("SELECT min(Z_PK) FROM ATRANSACTION")
    let last = try lastNumber(connection)
    let first = rows.isNull(0, 0) ? last + 1 : rows.int(0, 0)
    // A number that is yet to come is of a database that an older copy has replaced.
    if number < first - 1 || number > last { throw StoreFailure.historyTokenExpired }
    return number
  }

  private func transactions(
    after last: Int64, _ bound: HistoryBound, _ connection: Connection
  ) throws -> [HistoryTransactionRow] {
    var time = -Double.infinity
    if case .time(let wanted) = bound { time = wanted }
    var parameters = Parameters()
    parameters.add(last)
    parameters.add(time)
    parameters.add(PostgreSQLHistory.portion)
    let rows = try connection.execute(
      """
      SELECT t.Z_PK, t.ZTIMESTAMP, a.ZNAME, b.ZNAME, c.ZNAME, p.ZNAME FROM ATRANSACTION t
      LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS
      LEFT JOIN ATRANSACTIONSTRING c ON c.Z_PK = t.ZCONTEXTNAMETS LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS
      WHERE t.Z_PK > $1 AND t.ZTIMESTAMP > $2 ORDER BY t.Z_PK LIMIT $3
      """, parameters)
    return (0..<rows.count).map { row in
      HistoryTransactionRow(
        number: rows.int(row, 0), time: rows.number(row, 1)?.doubleValue ?? 0, author: rows.text(row, 2),
        contextName: rows.text(row, 4), bundleID: rows.text(row, 3), processID: rows.text(row, 5))
    }
  }

  /// Returns changes by transaction. Leaves out changes of entities that the model does not have.
  private func changes(
    _ numbers: ClosedRange<Int64>, _ connection: Connection
  ) throws -> [Int64: [HistoryChangeRow]] {
    var parameters = Parameters()
    parameters.add(numbers.lowerBound)
    parameters.add(numbers.upperBound)
    let tombstones = (0..<tombstoneCount).map { ", \(HistoryTables.tombstone($0))" }.joined()
    let rows = try connection.execute(
      "SELECT ZTRANSACTIONID, Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZCOLUMNS\(tombstones) FROM ACHANGE "
        + "WHERE ZTRANSACTIONID BETWEEN $1 AND $2 ORDER BY Z_PK", parameters)
    var found: [Int64: [HistoryChangeRow]] = [:]
    for row in 0..<rows.count {
      guard let entity = schema.index(ofNumber: Int(rows.int(row, 3))) else { continue }
      let key = rows.int(row, 4)
      guard key > 0 else { throw damaged("ACHANGE", "the change \(rows.int(row, 1)) is of the Z_PK \(key)") }
      var change = HistoryChangeRow(
        number: rows.int(row, 1), type: Int(rows.int(row, 2)), row: RowReference(entity: entity, key: key))
      if change.type == 1, !rows.isNull(row, 5) {
        change.updated = columnsByEntity[entity].properties(rows.bytes(row, 5))
      }
      if change.type == 2 {
        change.tombstone = try tombstone(rows, row, entity)
        change.composeTombstone(schema.layouts[entity])
      }
      found[rows.int(row, 0), default: []].append(change)
    }
    return found
  }

  /// Returns the values that a deletion preserved, boxed. Leaves out bytes that don't fit the attribute's type.
  private func tombstone(_ rows: ServerRows, _ row: Int, _ entity: Int) throws -> [String: Any] {
    var values: [String: Any] = [:]
    for (place, column) in preserved[entity].enumerated() where !rows.isNull(row, 6 + place) {
      let property = column.property
      let bytes = rows.bytes(row, 6 + place)
      if property.kind == .transformable {
        values[property.name] = try property.attribute.value(ofTransformable: Data(bytes), store: store.url)
        continue
      }
      var builder = RowBuilder()
      builder.beginRow(schema.layouts[entity])
      guard builder.set(bytes, of: property) else { continue }
      let snapshot = builder.finishRow(key: 1, version: 1, entity: entity)
      values[property.name] = snapshot.value(property).boxed(for: property)
    }
    return values
  }

  // Deleting.

  func delete(before bound: HistoryBound, chosen: ((HistoryTransactionRow) throws -> Bool)?) throws -> Int {
    if store.isReadOnly { throw StoreFailure.readOnly(store.url) }
    var parameters = Parameters()
    let condition: String
    switch bound {
    case .start: return 0
    case _ where chosen != nil:
      condition = "Z_PK = ANY($1)"
      parameters.add(keys: try numbers(before: bound, chosen!))
    case .number(let number):
      condition = "Z_PK < $1"
      parameters.add(number)
    case .time(let time):
      condition = "ZTIMESTAMP < $1"
      parameters.add(time)
    }
    // A lost connection may run this twice. That does no harm, except that the second count is too low.
    return try store.translatingErrors {
      try store.pool.read { connection in
        try connection.transaction {
          try connection.execute(
            "WITH t AS (DELETE FROM ATRANSACTION WHERE \(condition) RETURNING Z_PK), "
              + "c AS (DELETE FROM ACHANGE WHERE ZTRANSACTIONID IN (SELECT Z_PK FROM t)) SELECT count(*) FROM t",
            parameters
          ).int(0, 0)
        }
      }
    }.asInt
  }

  private func numbers(
    before bound: HistoryBound, _ isChosen: (HistoryTransactionRow) throws -> Bool
  ) throws -> [Int64] {
    var numbers: [Int64] = []
    try read(after: .start) { row in
      let isBefore =
        switch bound {
        case .start: false
        case .number(let number): row.number < number
        case .time(let time): row.time < time
        }
      if try isBefore && isChosen(row) { numbers.append(row.number) }
      return false
    } changes: { _, _ in
    }
    return numbers
  }
}

extension Int64 {
  fileprivate var asInt: Int { Int(self) }
}

extension RowBuilder {
  /// Sets an attribute from bytes in the protocol's form; returns false if they don't fit its type.
  fileprivate mutating func set(_ bytes: UnsafeRawBufferPointer, of property: LayoutProperty) -> Bool {
    let (slot, word) = (property.slot, property.word)
    switch property.form {
    case .integer, .destination:
      guard bytes.count == 8 else { return false }
      setInt(Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)), slot: slot, word: word)
    case .real:
      guard bytes.count == 8 else { return false }
      let bits = UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
      setDouble(Double(bitPattern: bits), slot: slot, word: word)
    case .text, .bytes: setBytes(bytes, slot: slot, word: word)
    case .uuid:
      guard bytes.count == 16 else { return false }
      setUUID(bytes.loadUnaligned(as: UUID.self), slot: slot, word: word)
    case .decimal: setDecimal(WireDecimal.decimal(bytes), slot: slot, word: word)
    case .none: return false
    }
    return true
  }
}
